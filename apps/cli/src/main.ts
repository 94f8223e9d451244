#!/usr/bin/env node
declare const __CLI_VERSION__: string;

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${__CLI_VERSION__}\n`);
} else {
  const { processTerminal } = await import('./terminal.ts');
  const { runProgram } = await import('./program.ts');
  await runProgram(processTerminal(), __CLI_VERSION__, argv);
}
export {};
