import { describe, it } from '@jest/globals';
import { ODD_REPOSITORIES } from '@cleveragents/shared-testing';
import { playWhole } from '../support/whole-play.ts';

describe('every repository that only the installed git can work on', () => {
  it.each(ODD_REPOSITORIES)('has a sandbox all the same: $what', playWhole, 120_000);
});
