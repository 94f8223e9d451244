import {
  type EngineName,
  type GitEngine,
  GitError,
  type OpenOptions,
  type RepositoryFacts,
  type UnsupportedFeature,
  type WorktreeHost,
} from '@cleveragents/git-ports';
import { hasCode } from '@cleveragents/shared-kernel';

/** Which engine works on git repositories: `auto` takes the isomorphic one unless that refuses and git 2.38 is there. */
export const ENGINE_CHOICES = ['auto', 'isomorphic', 'native'] as const;
export type EngineChoice = (typeof ENGINE_CHOICES)[number];

export interface Engines {
  readonly isomorphic: GitEngine;
  /** Loaded when it is first needed. */
  native(): Promise<GitEngine>;
}

/** What is wrong with the installed git itself, rather than with the repository. */
const FAULTS_OF_GIT = new Set(['git-missing', 'git-too-old']);

/** Finds the engine for each repository, and goes on with the one that began. */
export class ChoosingGitEngine implements GitEngine {
  readonly name: GitEngine['name'];
  readonly #choice: EngineChoice;
  readonly #engines: Engines;

  constructor(choice: EngineChoice, engines: Engines) {
    this.name = choice;
    this.#choice = choice;
    this.#engines = engines;
  }

  async inspect(directory: string): Promise<RepositoryFacts | null> {
    if (this.#choice !== 'auto') {
      const facts = await (await this.#engine(this.#choice)).inspect(directory);
      return facts && { ...facts, chosen: { engine: this.#choice, reason: 'it was asked for' } };
    }
    const facts = await this.#engines.isomorphic.inspect(directory);
    if (facts === null) return null;
    if (facts.unsupported.length === 0)
      return {
        ...facts,
        chosen: { engine: 'isomorphic', reason: 'it can do all that the repository needs' },
      };
    return (await this.#inspectNatively(directory, facts)) ?? facts;
  }

  async #inspectNatively(directory: string, refused: RepositoryFacts): Promise<RepositoryFacts | null> {
    const facts = await (await this.#engines.native()).inspect(directory);
    if (facts === null) return null;
    if (facts.unsupported.length === 0)
      return { ...facts, chosen: { engine: 'native', reason: reasonFor(refused.unsupported) } };
    return { ...facts, unsupported: bothRefuse(refused.unsupported, facts.unsupported) };
  }

  async open(directory: string, options: OpenOptions = {}): Promise<WorktreeHost> {
    const { prefer } = options;
    const order: readonly EngineName[] = this.#choice === 'auto' ? ['isomorphic', 'native'] : [this.#choice];
    const names = prefer === undefined ? order : [...new Set([prefer, ...order])];
    const refusals: GitError[] = [];
    for (const name of names)
      try {
        return await (await this.#engine(name)).open(directory, options);
      } catch (error) {
        if (!(error instanceof GitError) || !hasCode(error, 'GIT_UNSUPPORTED_REPOSITORY')) throw error;
        refusals.push(error);
      }
    throw nobodyCan(directory, refusals);
  }

  #engine(name: EngineName): Promise<GitEngine> {
    return name === 'native' ? this.#engines.native() : Promise.resolve(this.#engines.isomorphic);
  }
}

function reasonFor(refused: readonly UnsupportedFeature[]): string {
  return `the repository uses what needs the installed git: ${refused.map(({ detail }) => detail).join('; ')}`;
}

/** With a git that cannot be used, what keeps the first engine away is the cause, and a better git the way out. */
function bothRefuse(
  first: readonly UnsupportedFeature[],
  second: readonly UnsupportedFeature[],
): readonly UnsupportedFeature[] {
  const faults = second.filter(({ feature }) => FAULTS_OF_GIT.has(feature));
  return faults.length === 0 ? second : [...first, ...faults];
}

function nobodyCan(directory: string, refusals: readonly GitError[]): GitError {
  const [only] = refusals;
  if (only !== undefined && refusals.length === 1) return only;
  const lists = refusals.map(({ data }) => (data['unsupported'] ?? []) as readonly UnsupportedFeature[]);
  const unsupported = lists.reduce(bothRefuse);
  const details = unsupported.map(({ detail }) => detail).join('; ');
  return new GitError('GIT_UNSUPPORTED_REPOSITORY', `no engine can work on ${directory}: ${details}`, {
    hint: unsupported.at(-1)?.wayOut,
    data: { features: unsupported.map(({ feature }) => feature), unsupported },
    cause: refusals.at(-1),
  });
}
