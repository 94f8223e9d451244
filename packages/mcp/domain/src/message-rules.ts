import { refuseBelow } from './copy.ts';
import type { Side } from './root.ts';
import type { SandboxPathRewriter } from './sandbox-path-rewriter.ts';

/** What a rule may ask about the message that it is applied to. */
export interface Scene {
  readonly paths: SandboxPathRewriter;
  /** The side that reads the message. */
  readonly to: Side;
  readonly tool: string | undefined;
  /** What a reader of several files was asked for. */
  readonly files?: readonly string[] | undefined;
  /** How often a rule was applied within itself. */
  readonly depth: number;
}

/**
 * Answers a rewritten copy of one part of a message, or the part itself when there is nothing to do.
 * @throws McpPathError as the rewriter that it asks.
 */
export type Rule = (part: unknown, scene: Scene) => unknown;
export type Rules = ReadonlyMap<string, Rule>;

type Fields = Readonly<Record<string, unknown>>;

function deeper(scene: Scene): Scene {
  refuseBelow(scene.depth + 1);
  return { ...scene, depth: scene.depth + 1 };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every string below is a path, a URI, or neither. */
const whole: Rule = (part, { paths, to }) => paths.rewrite(part, { to });
/** Every string below may speak of paths. */
const prose: Rule = (part, { paths, to }) => paths.rewrite(part, { to, text: true });
const toolArguments: Rule = (part, { paths, tool }) => paths.rewriteArguments(part, { tool });
const toolResult: Rule = (part, { paths, tool, files }) => paths.rewriteResult(part, { tool, files });

const each =
  (rule: Rule): Rule =>
  (part, scene) =>
    Array.isArray(part) ? part.map((item: unknown) => rule(item, scene)) : part;

/** Whatever is not named stays. */
function fields(rules: Readonly<Record<string, Rule>>): Rule {
  const named = Object.entries(rules);
  return (part, scene) => {
    if (!isFields(part)) return part;
    const changed = named
      .filter(([key]) => Object.hasOwn(part, key))
      .map(([key, rule]) => [key, rule(part[key], scene)] as const);
    return { ...part, ...Object.fromEntries(changed) };
  };
}

const values =
  (rule: Rule): Rule =>
  (part, scene) =>
    isFields(part)
      ? Object.fromEntries(Object.entries(part).map(([key, value]) => [key, rule(value, scene)]))
      : part;

const VALUES_OF_A_SCHEMA = new Set(['default', 'const', 'enum', 'examples']);
const WORDS_OF_A_SCHEMA = new Set(['title', 'description']);
const NAMES_OF_A_SCHEMA = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** A JSON Schema: the values in it and the words about them, never its references and patterns. */
const schema: Rule = (part, scene) => {
  if (Array.isArray(part)) return each(schema)(part, deeper(scene));
  if (!isFields(part)) return part;
  const inner = deeper(scene);
  const changed = Object.entries(part).map(([key, value]) => [key, ruleOfSchema(key)(value, inner)] as const);
  return Object.fromEntries(changed);
};

function ruleOfSchema(key: string): Rule {
  if (VALUES_OF_A_SCHEMA.has(key)) return whole;
  if (WORDS_OF_A_SCHEMA.has(key)) return prose;
  return NAMES_OF_A_SCHEMA.has(key) ? values(schema) : schema;
}

const link = fields({ uri: whole, name: whole, title: prose, description: prose });
const BLOCKS: Readonly<Record<string, Rule>> = {
  text: fields({ text: prose }),
  resource: fields({ resource: fields({ uri: whole }) }),
  resource_link: link,
  tool_use: fields({ input: whole }),
  tool_result: (part, scene) =>
    fields({ content: each(block), structuredContent: prose })(part, deeper(scene)),
};

/** A piece of content by its type. Pictures, sounds and the bodies of resources stay. */
const block: Rule = (part, scene) => {
  const type = isFields(part) ? part['type'] : undefined;
  const rule = typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  return rule?.(part, scene) ?? part;
};
const blocks: Rule = (part, scene) => (Array.isArray(part) ? each(block) : block)(part, scene);
const conversation = each(fields({ content: blocks }));
const task = fields({ statusMessage: prose });
const tool = fields({ title: prose, description: prose, inputSchema: schema, outputSchema: schema });

const rootsAnswer = fields({ roots: each(fields({ uri: whole, name: prose })) });
const elicitationAnswer = fields({ content: whole });
const samplingAnswer = fields({ content: blocks });

const rulesOf = (rules: Readonly<Record<string, Rule>>): Rules => new Map(Object.entries(rules));

/** What a client answers, when it answers within its next request, tells by its shape which question it is for. */
const inputResponse: Rule = (part, scene) => {
  if (!isFields(part)) return part;
  if ('roots' in part) return rootsAnswer(part, scene);
  return ('action' in part ? elicitationAnswer : samplingAnswer)(part, scene);
};

const inputResponses = values(inputResponse);

/** Parameters of requests and notifications, from either side. A method that is not named passes untouched. */
export const CALL_RULES: Rules = rulesOf({
  'tools/call': fields({ arguments: toolArguments, inputResponses }),
  'resources/read': fields({ uri: whole, inputResponses }),
  'resources/subscribe': fields({ uri: whole }),
  'resources/unsubscribe': fields({ uri: whole }),
  'prompts/get': fields({ arguments: toolArguments, inputResponses }),
  'completion/complete': fields({
    ref: fields({ uri: whole }),
    argument: fields({ value: whole }),
    context: fields({ arguments: whole }),
  }),
  'subscriptions/listen': fields({ notifications: fields({ resourceSubscriptions: whole }) }),
  'sampling/createMessage': fields({ messages: conversation, systemPrompt: prose, tools: each(tool) }),
  'elicitation/create': fields({ message: prose, requestedSchema: schema }),
  'notifications/progress': fields({ message: prose }),
  'notifications/cancelled': fields({ reason: prose }),
  'notifications/message': fields({ data: prose }),
  'notifications/resources/updated': fields({ uri: whole, title: prose }),
  'notifications/subscriptions/acknowledged': fields({
    notifications: fields({ resourceSubscriptions: whole }),
  }),
  'notifications/tasks/status': task,
});

/** A question that a server puts inside a result. */
const inputRequest: Rule = (part, scene) => {
  const method = isFields(part) ? part['method'] : undefined;
  const rule = typeof method === 'string' ? CALL_RULES.get(method) : undefined;
  return rule === undefined ? part : fields({ params: rule })(part, scene);
};

/** What any answer may be instead of the result: a question back, or the promise of a later answer. */
const interim = fields({ inputRequests: values(inputRequest), task });
const isInterim = (result: unknown): boolean =>
  isFields(result) &&
  (result['resultType'] === 'input_required' || (isFields(result['task']) && !('content' in result)));

const finalResult =
  (rule: Rule): Rule =>
  (part, scene) =>
    (isInterim(part) ? interim : rule)(part, scene);

/** Results by the method they answer. A method that is not named passes untouched. */
export const RESULT_RULES: Rules = rulesOf({
  initialize: fields({ instructions: prose }),
  'server/discover': fields({ instructions: prose }),
  'tools/list': fields({ tools: each(tool) }),
  'tools/call': finalResult(toolResult),
  'resources/list': fields({ resources: each(link) }),
  'resources/templates/list': fields({
    resourceTemplates: each(fields({ uriTemplate: whole, name: whole, title: prose, description: prose })),
  }),
  'resources/read': finalResult(fields({ contents: each(fields({ uri: whole })) })),
  'prompts/list': fields({
    prompts: each(fields({ title: prose, description: prose, arguments: each(tool) })),
  }),
  'prompts/get': finalResult(fields({ description: prose, messages: conversation })),
  'completion/complete': fields({ completion: fields({ values: whole }) }),
  'roots/list': rootsAnswer,
  'sampling/createMessage': finalResult(samplingAnswer),
  'elicitation/create': finalResult(elicitationAnswer),
  'tasks/get': task,
  'tasks/cancel': task,
  'tasks/list': fields({ tasks: each(task) }),
});
export const ERROR_RULE: Rule = fields({ message: prose, data: prose });
