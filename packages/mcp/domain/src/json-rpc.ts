/** Identifies a request among those of its sender that are not answered yet. `1` and `"1"` are two ids. */
export type JsonRpcId = string | number;

/** A request; without `id`, a notification, which nobody answers. */
export interface JsonRpcCall {
  readonly jsonrpc: '2.0';
  readonly id?: JsonRpcId;
  readonly method: string;
  readonly params?: unknown;
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The answer to a request: with a result, or an error. An `id` of null answers a message that could not be read. */
export interface JsonRpcAnswer {
  readonly jsonrpc: '2.0';
  readonly id: JsonRpcId | null;
  readonly result?: unknown;
  readonly error?: JsonRpcError;
}

export type JsonRpcMessage = JsonRpcCall | JsonRpcAnswer;

export function isCall(message: JsonRpcMessage): message is JsonRpcCall {
  return 'method' in message;
}
