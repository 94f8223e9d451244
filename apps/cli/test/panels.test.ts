import { describe, expect, it } from '@jest/globals';
import type { ApplySummary } from '@cleveragents/sandbox-domain';
import { renderApplySummary } from '../src/render/panels.ts';
import { RecordingTerminal } from './recording-terminal.ts';

const at = new Date(2026, 3, 9, 17, 30, 0);
const summary: ApplySummary = {
  planId: 'plan-01HZ',
  strategy: 'git_worktree',
  project: 'local/my-project',
  filesChanged: 3,
  insertions: 142,
  deletions: 17,
  timestamp: at.toISOString(),
  targetBranch: 'main',
  commitRef: 'a'.repeat(40),
  mergeRef: 'a'.repeat(40),
  files: [],
  keptFiles: [],
  omittedFiles: [],
  drift: [],
  cleanup: { worktreeRemoved: true, branchDeleted: true, rescuedTo: null, leftOver: [] },
};

describe('the summary of an apply', () => {
  it('is two panels and a last line', () => {
    expect(renderApplySummary(new RecordingTerminal(), summary)).toBe(
      [
        '╭─ Apply Summary ──────────────────────────────────────╮',
        '│ Plan ID:    plan-01HZ                                │',
        '│ Artifacts:  3 files changed                          │',
        '│ Insertions: +142                                     │',
        '│ Deletions:  -17                                      │',
        '│ Project:    local/my-project                         │',
        '│ Timestamp:  2026-04-09 17:30:00                      │',
        '╰──────────────────────────────────────────────────────╯',
        '╭─ Sandbox Cleanup ────────────────────────────────────╮',
        '│ ✓ Worktree removed                                   │',
        '│ ✓ Branch deleted                                     │',
        '╰──────────────────────────────────────────────────────╯',
        '✓ OK  Changes applied to main',
        '',
      ].join('\n'),
    );
  });

  it('is plain ASCII where the locale is not UTF-8', () => {
    const text = renderApplySummary(new RecordingTerminal({ hasUnicode: false }), summary);
    expect(text).toMatch(/^[\x00-\x7f]*$/);
    expect(text).toContain('+- Apply Summary ---');
    expect(text).toContain('* Worktree removed');
  });

  it.each([20, 30, 40, 200])(
    'is never wider than a terminal of %d columns, nor than it needs to be',
    (columns) => {
      const wide = { ...summary, planId: 'Q'.repeat(90), project: `local/${'宽'.repeat(30)}` };
      const lines = renderApplySummary(new RecordingTerminal({ columns }), wide).split('\n');
      const box = lines.filter((line) => /^[╭│╰]/.test(line));
      for (const line of box) expect(widthOf(line)).toBe(Math.min(56, columns));
      expect(box.join('').replace(/[^Q]/g, '')).toHaveLength(90);
    },
  );

  it('shows names that a terminal would act on as escapes', () => {
    const text = renderApplySummary(new RecordingTerminal(), { ...summary, planId: 'a\u001b[31mb\u202ec' });
    expect(text).toContain('a\\e[31mb\\u202ec');
    expect(text).not.toContain('\u001b');
  });

  it('says what could not be removed, and what was kept', () => {
    const cleanup = {
      worktreeRemoved: false,
      branchDeleted: true,
      rescuedTo: 'refs/x',
      leftOver: [{ path: '/sandbox', reason: 'busy' }],
    };
    const text = renderApplySummary(new RecordingTerminal(), { ...summary, cleanup });
    expect(text).toContain('✗ Worktree not removed');
    expect(text).toContain('Later work is kept: refs/x');
    expect(text).toContain('/sandbox: busy');
  });

  it('says when there was nothing to apply', () => {
    expect(renderApplySummary(new RecordingTerminal(), { ...summary, filesChanged: 0 })).toContain(
      'OK  Nothing to apply',
    );
  });
});

function widthOf(line: string): number {
  return [...line].reduce((width, character) => width + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);
}
