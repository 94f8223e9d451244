const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to a child itself: passed on, one Ctrl-C would be two. */
const SENT_BY_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Runs `work`; signals that reach us meanwhile are the server's to answer. */
export async function passingSignalsOn<T>(
  server: { signal(signal: NodeJS.Signals): void },
  work: () => Promise<T>,
): Promise<T> {
  const passOn = (signal: NodeJS.Signals): void => server.signal(signal);
  const passOnOffTerminal = (signal: NodeJS.Signals): void => {
    if (!isOnTerminal()) passOn(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  for (const signal of SENT_BY_TERMINALS) process.on(signal, passOnOffTerminal);
  try {
    return await work();
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
    for (const signal of SENT_BY_TERMINALS) process.off(signal, passOnOffTerminal);
  }
}

function isOnTerminal(): boolean {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
