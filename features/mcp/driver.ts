/** The two names of the project that both sides work on. */
export interface ProjectNames {
  readonly host: string;
  readonly sandbox: string;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What stands between an agent and a tool. */
export interface PathRewritingDriver {
  readonly name: string;
  start(names: ProjectNames): Promise<void>;
  /** The arguments that the tool gets when the agent calls it with these. */
  call(toolArguments: Fields): Promise<Fields>;
  /** The structured answer that the agent gets when the tool answers its call with this one. */
  answer(structuredContent: Fields): Promise<Fields>;
  stop(): Promise<void>;
}
