import assert from 'node:assert/strict';
// #region example
import { SandboxPathRewriter } from '@cleveragents/mcp-domain';

const rewriter = new SandboxPathRewriter({ hostRoot: '/home/user/project', sandboxRoot: '/workspace' });

const request = rewriter.rewriteArguments({
  path: '/home/user/project/src/main.py',
  content: '# /home/user/project',
}); // { path: '/workspace/src/main.py', content: '# /home/user/project' }

const result = rewriter.rewriteResult({
  content: [{ type: 'text', text: 'Wrote /workspace/src/main.py (12 lines)' }],
}); // { content: [{ type: 'text', text: 'Wrote /home/user/project/src/main.py (12 lines)' }] }
// #endregion

assert.deepEqual(request, { path: '/workspace/src/main.py', content: '# /home/user/project' });
assert.deepEqual(result, {
  content: [{ type: 'text', text: 'Wrote /home/user/project/src/main.py (12 lines)' }],
});
