// A server of revision 2026-07-28, by the official packages: it works on the files of the directory that it is given.
import { inputRequired, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const root = process.argv[2];
const tool = (name) => ({ name, description: `Works on ${root}`, inputSchema: { type: 'object' } });
const said = (structuredContent) => ({
  content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** Asks back what it needs: where to, which roots there are, what to say. */
function ask({ to }, { inputResponses, requestState }) {
  if (inputResponses !== undefined)
    return said({ answers: inputResponses, state: requestState(), was: { from: `${root}/from`, to } });
  const properties = { path: { type: 'string', title: `A path in ${root}`, default: `${root}/default` } };
  return inputRequired({
    requestState: `${root}/state`,
    inputRequests: {
      where: inputRequired.elicit({
        message: `Where in ${root} shall it go?`,
        requestedSchema: { type: 'object', properties, required: ['path'] },
      }),
      roots: inputRequired.listRoots(),
      words: inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: `Describe ${root}/from` } }],
        maxTokens: 10,
      }),
    },
  });
}

const TOOLS = {
  echo: (input) => said(input),
  ask,
  log: async (_input, { notify, _meta }) => {
    const progressToken = _meta?.progressToken;
    const params = { progressToken, progress: 1, message: `Reading ${root}/log` };
    if (progressToken !== undefined) await notify({ method: 'notifications/progress', params });
    return said({ path: `${root}/log` });
  },
};

function open() {
  const server = new Server(
    { name: 'modern', version: '1.0.0' },
    { capabilities: { tools: {}, resources: {} }, instructions: `The files lie in ${root}.` },
  );
  server.setRequestHandler('tools/list', () => ({ tools: Object.keys(TOOLS).map(tool) }));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    TOOLS[params.name](params.arguments ?? {}, mcpReq),
  );
  server.setRequestHandler('resources/list', () => ({
    resources: [{ uri: `file://${root}/a.txt`, name: 'a.txt', description: `From ${root}` }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: `written in ${root}` }],
  }));
  return server;
}

serveStdio(open);
