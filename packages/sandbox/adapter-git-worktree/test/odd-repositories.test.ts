import { describe, it } from '@jest/globals';
import { ODD_REPOSITORIES } from '@cleveragents/shared-testing';
import { playWhole } from './support/whole-play.ts';

/** The others are played by the torture: each takes seconds. */
const PLAYED = [
  'SHA-256',
  'core.autocrlf',
  'a filter',
  'a sparse index',
  'a partial clone',
  'signed commits',
];

describe('a repository that only the installed git can work on', () => {
  it.each(ODD_REPOSITORIES.filter(({ what }) => PLAYED.includes(what)))(
    'has a sandbox all the same: $what',
    playWhole,
    60_000,
  );
});
