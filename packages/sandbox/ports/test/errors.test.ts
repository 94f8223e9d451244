import { describe, expect, it } from '@jest/globals';
import * as ports from '@cleveragents/sandbox-ports';
import * as domain from '@cleveragents/sandbox-domain';

describe("the errors of a sandbox, importable from the protocol's home", () => {
  it.each([
    'SandboxError',
    'SandboxCreationError',
    'SandboxCommitError',
    'SandboxRollbackError',
    'SandboxStateError',
  ] as const)('%s is the very class of the domain, and says its name', (name) => {
    expect(ports[name]).toBe(domain[name]);
    expect(ports[name].name).toBe(name);
    expect(ports[name].prototype).toBeInstanceOf(name === 'SandboxError' ? Error : domain.SandboxError);
  });
});
