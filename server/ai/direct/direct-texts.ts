import { say, type Sentence } from '../../kernel/sentence.ts'

/** Every sentence of direct mode, in one language. */
export interface DirectTexts {
  noEngine: string
  howToRun: string
  canBeRun: string
  nothingToRun: string
  didYouMean: string
  nearest: string
  allTools: string
  notAnObject: string
  example: string
  required: string
  or: string
  /** Names of the JSON types. */
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
const command = (name: string) => code(`/${name}`)
const OBJECT = '`{"key": "value"}`'
const LIST = '`["a", "b"]`'

export function directTexts(language: string): DirectTexts {
  const tell = (sentence: Sentence): string => sentence.in(language)
  const list = (words: string[]): string => words.map(code).join(', ')
  return {
    noEngine: [
      tell(say`No AI engine is set up yet, so I cannot answer questions in plain words.`),
      tell(say`An administrator can set one up under [Administration, AI engines](/admin/ai).`),
      tell(
        say`Until then you can run every tool yourself: type \`/module.tool\`, with arguments as \`key=value\` or as JSON.`,
      ),
    ].join(' '),
    howToRun: tell(say`Type \`/module.tool\`, with arguments as \`key=value\` or as JSON.`),
    canBeRun: tell(say`You can run:`),
    nothingToRun: tell(
      say`There are no tools that you may run. An administrator can enable modules and allow their tools.`,
    ),
    didYouMean: tell(say`Did you mean one of these?`),
    nearest: tell(say`Nearest to your words:`),
    allTools: tell(say`All tools: type ${code('/')}, and choose from the list.`),
    notAnObject: tell(say`The arguments must be one JSON object, like ${OBJECT}.`),
    example: tell(say`For example:`),
    required: tell(say`required`),
    or: tell(say`or`),
    types: {
      string: tell(say`text`),
      integer: tell(say`a whole number`),
      number: tell(say`a number`),
      boolean: tell(say`\`true\` or \`false\``),
      array: tell(say`a list, like ${LIST}`),
      object: tell(say`a JSON object`),
      null: '`null`',
    },
    oneOf: (values) => tell(say`one of ${list(values)}`),
    unknownTool: (name) => tell(say`There is no tool ${command(name)} that you may run.`),
    takes: (name) => tell(say`${command(name)} takes:`),
    takesNothing: (name) => tell(say`${command(name)} takes no arguments.`),
    missing: (names) => tell(say`Not run. Missing: ${list(names)}.`),
    badJson: (detail) => tell(say`Not run: the arguments are not valid JSON (${detail}).`),
    unclosed: (mark) => tell(say`Not run: ${code(mark)} is never closed.`),
    noKey: (word) => tell(say`Not run: ${code(word)} has no name. Write arguments as \`key=value\`.`),
    unknownKey: (key, near) =>
      near === null
        ? tell(say`Not run: there is no argument ${code(key)}.`)
        : tell(say`Not run: there is no argument ${code(key)}. Did you mean ${code(near)}?`),
    wrongValue: (key, value, expected) =>
      tell(say`Not run: ${code(key)} cannot be ${code(value)}; expected ${expected}.`),
    twice: (key) => tell(say`Not run: ${code(key)} is given twice.`),
    failed: (tool) => tell(say`${code(tool)} did not succeed.`),
    noOutput: (tool) => tell(say`${code(tool)} finished. It returned nothing.`),
    table: (tool) => tell(say`${code(tool)} finished; its result is the table above.`),
  }
}
