import { describe, expect, it } from '@jest/globals';
import { withConfigValue } from '../src/config-edit.ts';

const CONFIG = '[core]\n\tfilemode = true\n\tbare = true ; by whom?\n[remote "bare"]\n\tbare = yes\n';

describe('one setting of a configuration file', () => {
  it('gets another value, and nothing else changes', () => {
    expect(withConfigValue(CONFIG, 'core.bare', 'false')).toBe(CONFIG.replace('true ; by whom?', 'false'));
  });

  it('goes, wherever it stands, and a setting of that name in another section stays', () => {
    const twice = `${CONFIG}[CORE]\n  Bare\n`;
    const lines = CONFIG.split('\n').filter((line) => !line.includes('by whom'));
    expect(withConfigValue(twice, 'core.bare', null)).toBe(`${lines.join('\n')}[CORE]\n`);
  });

  it('keeps the line ends of its line', () => {
    expect(withConfigValue('[core]\r\n\tbare = true\r\n', 'core.bare', 'false')).toBe(
      '[core]\r\n\tbare = false\r\n',
    );
  });

  it.each([
    ['it shares a line with its section', '[core] bare = true\n'],
    ['its value goes on in the next line', '[core]\n\tbare = tr\\\nue\n'],
    ['another value goes on in what looks like it', '[core]\n\teditor = vi \\\nbare = true\n\tbare = true\n'],
  ])('is left to people where %s', (_why, text) => {
    expect(withConfigValue(text, 'core.bare', null)).toBeNull();
  });

  it('that is not set needs no change to go', () => {
    expect(withConfigValue('[core]\n', 'core.bare', null)).toBe('[core]\n');
  });
});
