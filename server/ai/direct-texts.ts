/** Every sentence of direct mode, by language. `en` is complete and stands in for what another language lacks. */
export interface DirectTexts {
  noEngine: string
  howToRun: string
  canBeRun: string
  nothingToRun: string
  didYouMean: string
  notAnObject: string
  example: string
  required: string
  or: string
  /** JSON types in words. */
  types: Record<string, string>
  oneOf(values: string[]): string
  unknownTool(name: string): string
  takes(name: string): string
  takesNothing(name: string): string
  missing(names: string[]): string
  badJson(detail: string): string
  unclosed(mark: string): string
  noKey(word: string): string
  unknownKey(key: string, near: string | null): string
  wrongValue(key: string, value: string, expected: string): string
  twice(key: string): string
  failed(tool: string): string
  noOutput(tool: string): string
  table(tool: string): string
}

const code = (text: string) => `\`${text.replaceAll('`', "'")}\``

const TEXTS: Record<string, DirectTexts> & { en: DirectTexts } = {
  en: {
    noEngine:
      'No AI engine is set up yet, so I cannot answer questions in plain words. An administrator can set one with ' +
      '`REEVE_AI_BASE_URL` and `REEVE_AI_MODEL` (and `REEVE_AI_API_KEY`, `REEVE_AI_PROVIDER` ' +
      'where needed). Until then you can run every tool yourself: type `/module.tool`, with arguments as `key=value` or as JSON.',
    howToRun: 'Type `/module.tool`, with arguments as `key=value` or as JSON.',
    canBeRun: 'You can run:',
    nothingToRun: 'There is no tool that you may run. An administrator can enable modules and allow their tools.',
    didYouMean: 'Did you mean one of these?',
    notAnObject: 'The arguments must be one JSON object, like `{"key": "value"}`.',
    example: 'For example:',
    required: 'required',
    or: 'or',
    types: {
      string: 'text',
      integer: 'a whole number',
      number: 'a number',
      boolean: '`true` or `false`',
      array: 'a list, like `["a", "b"]`',
      object: 'a JSON object',
      null: '`null`',
    },
    oneOf: (values) => `one of ${values.map(code).join(', ')}`,
    unknownTool: (name) => `There is no tool ${code(`/${name}`)} that you may run.`,
    takes: (name) => `${code(`/${name}`)} takes:`,
    takesNothing: (name) => `${code(`/${name}`)} takes no arguments.`,
    missing: (names) => `Not run: ${names.map(code).join(', ')} ${names.length === 1 ? 'is' : 'are'} missing.`,
    badJson: (detail) => `Not run: the arguments are not valid JSON (${detail}).`,
    unclosed: (mark) => `Not run: ${code(mark)} is never closed.`,
    noKey: (word) => `Not run: ${code(word)} has no name. Write arguments as \`key=value\`.`,
    unknownKey: (key, near) =>
      `Not run: there is no argument ${code(key)}.${near === null ? '' : ` Did you mean ${code(near)}?`}`,
    wrongValue: (key, value, expected) => `Not run: ${code(key)} cannot be ${code(value)}; expected ${expected}.`,
    twice: (key) => `Not run: ${code(key)} is given twice.`,
    failed: (tool) => `${code(tool)} did not succeed.`,
    noOutput: (tool) => `${code(tool)} is done. It returned nothing.`,
    table: (tool) => `${code(tool)} is done; its result is the table above.`,
  },
}

export function directTexts(language: string): DirectTexts {
  return TEXTS[language] ?? TEXTS.en
}
