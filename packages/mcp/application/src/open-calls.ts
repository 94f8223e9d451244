import {
  type AnsweredCall,
  answeredCallOf,
  type JsonRpcAnswer,
  type JsonRpcCall,
  type JsonRpcId,
} from '@cleveragents/mcp-domain';

/** How many calls are remembered that nobody has to answer any more, and how many tasks. */
const MEMORY = 1000;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const isId = (value: unknown): value is JsonRpcId => typeof value === 'string' || typeof value === 'number';

/** What one side asked and the other has not answered: an answer alone does not say what it is for. */
export class OpenCalls {
  readonly #calls = new Map<JsonRpcId, AnsweredCall>();
  /** Calls with an id that is in use already: whoever does that gets the answers in the order of the calls. */
  readonly #sameId = new Map<JsonRpcId, AnsweredCall[]>();
  /** The asker said that it does not wait any more; an answer may come all the same. */
  readonly #cancelled = new Map<JsonRpcId, AnsweredCall>();
  /** Work that was promised for later, by its task. */
  readonly #tasks = new Map<string, AnsweredCall>();

  /** A call from the side whose calls these are, as the other side gets it. */
  noteCall(call: JsonRpcCall): void {
    const params = fieldsOf(call.params);
    if (call.method === 'notifications/cancelled') this.#cancel(params['requestId']);
    if (call.id !== undefined) this.#open(call.id, this.#meaningOf(call, params));
  }

  /** The call that an answer is for, which is open no longer; undefined for an answer that nobody asked for. */
  takeAnswered({ id, result }: JsonRpcAnswer): AnsweredCall | undefined {
    if (id === null) return undefined;
    const call = this.#calls.get(id) ?? this.#cancelled.get(id);
    if (!this.drop(id)) this.#cancelled.delete(id);
    const taskId = fieldsOf(fieldsOf(result)['task'])['taskId'];
    if (call !== undefined && typeof taskId === 'string') remember(this.#tasks, taskId, call);
    return call;
  }

  /** A call that will not be answered by the other side. True when somebody still waits for it. */
  drop(id: JsonRpcId): boolean {
    const wasOpen = this.#calls.delete(id);
    const next = this.#sameId.get(id)?.shift();
    if (next === undefined) this.#sameId.delete(id);
    else this.#calls.set(id, next);
    return wasOpen;
  }

  /** The ids of all calls that somebody waits for; none is open afterwards. */
  dropAll(): readonly (readonly [JsonRpcId, AnsweredCall])[] {
    const open = [...this.#calls];
    for (const [id, calls] of this.#sameId) for (const call of calls) open.push([id, call]);
    this.#calls.clear();
    this.#sameId.clear();
    return open;
  }

  #meaningOf(call: JsonRpcCall, { taskId }: Fields): AnsweredCall {
    const promised =
      call.method === 'tasks/result' && typeof taskId === 'string' ? this.#tasks.get(taskId) : undefined;
    return promised ?? answeredCallOf(call);
  }

  #open(id: JsonRpcId, call: AnsweredCall): void {
    if (!this.#calls.has(id)) this.#calls.set(id, call);
    else this.#sameId.set(id, [...(this.#sameId.get(id) ?? []), call]);
  }

  #cancel(id: unknown): void {
    if (!isId(id)) return;
    const call = this.#calls.get(id);
    if (call !== undefined) remember(this.#cancelled, id, call);
    this.drop(id);
  }
}

/** The oldest is forgotten first. */
function remember<Key, Value>(memory: Map<Key, Value>, key: Key, value: Value): void {
  memory.set(key, value);
  const [oldest] = memory.keys();
  if (memory.size > MEMORY && oldest !== undefined) memory.delete(oldest);
}
