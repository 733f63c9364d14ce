import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probe } from './stage/engines/probe.ts'
import { any } from './stage/engines/refusals.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage, type Seen } from './stage/engines/scenario-stage.ts'
import { WIRES } from './stage/engines/wires.ts'
import { databases } from './stage/servers/postgres.ts'

const HERE = { place: 'here' }
const look = (args: object = HERE, repaired?: string, status = 'done'): NonNullable<Seen['calls']> => [
  ['probe.look', args, status, repaired],
]
const written = (does: string, text: string, calls = look(HERE, 'text'), before = ''): Scenario => [
  any,
  does,
  [WIRES[any].text(`${before}${text}`)],
  { text: before === '' ? 'Done.' : `${before}|Done.`, calls, asked: 2 },
]
const onlyText = (does: string, text: string): Scenario => [any, does, [WIRES[any].text(text)], { text, asked: 1 }]
const JSON_CALL = '{"name": "probe__look", "arguments": {"place": "here"}}'

const functionOf = (body: string) => `<function=probe__look>${body}</function>`

/** Calls that models write into their text, and what stays text because it is not certain what it means. */
const TEXTS: Scenario[] = [
  written('<tool_call> (Hermes, Qwen)', `<tool_call>\n${JSON_CALL}\n</tool_call>`),
  written('<tool_call> after words', `<tool_call>\n${JSON_CALL}\n</tool_call>`, look(HERE, 'text'), 'Let me look.\n'),
  written(
    'two <tool_call>',
    `<tool_call>${JSON_CALL}</tool_call>\n<tool_call>${JSON_CALL.replace('here', 'there')}</tool_call>`,
    [...look(HERE, 'text'), ...look({ place: 'there' }, 'text')],
  ),
  written('<tool_call> that is not closed (vLLM cuts the stop word)', `<tool_call>\n${JSON_CALL}`),
  written(
    '<function=…> (Qwen Coder)',
    '<tool_call>\n<function=probe__look>\n<parameter=place>\nhere\n</parameter>\n<parameter=limit>\n3\n</parameter>\n</function>\n</tool_call>',
    look({ place: 'here', limit: 3 }, 'text,values'),
  ),
  written('[TOOL_CALLS] (Mistral)', `[TOOL_CALLS][${JSON_CALL}]`),
  written('<|python_tag|> (Llama)', '<|python_tag|>{"name": "probe.look", "parameters": {"place": "here"}}<|eom_id|>'),
  onlyText('<tool_call> of a tool that nobody has', '<tool_call>{"name": "rm", "arguments": {}}</tool_call>'),
  onlyText('<tool_call> that more words follow', `<tool_call>${JSON_CALL}</tool_call> is how it is written.`),
  onlyText('<tool_call> in the middle of a line', `They write <tool_call>${JSON_CALL}</tool_call>`),
  onlyText('<tool_call> that is no JSON', '<tool_call>{"name": probe__look}</tool_call>'),
  onlyText('JSON that looks like a call', JSON_CALL),
  written('<function=…> with JSON (Llama)', '<function=probe__look>{"place": "here"}</function>'),
  written('<function=…> with nothing', '<function=probe__ping></function>', [['probe.ping', {}, 'done', 'text']]),
  written(
    'two <function=…>',
    `${functionOf('<parameter=place>here</parameter>')}\n${functionOf('<parameter=place>there</parameter>')}`,
    [...look(HERE, 'text'), ...look({ place: 'there' }, 'text')],
  ),
  ...[
    ['words between the marks', 'place: here'],
    ['a parameter that is not closed', '<parameter=place>here</parameter><parameter=kind>file'],
    ['words after a parameter', '<parameter=place>here</parameter> or there'],
    ['its closing mark within a value', '<parameter=place>a</parameter>b</parameter>'],
    ['its opening mark within a value', '<parameter=place>a<parameter=kind>b</parameter>'],
    ['a parameter twice', '<parameter=place>here</parameter><parameter=place>there</parameter>'],
    ['JSON besides', '<parameter=place>here</parameter>{"limit": 1}'],
  ].map(([does, body]) => onlyText(`<function=…>, ${does}`, functionOf(body!))),
  onlyText(
    'two <function=…> in one <tool_call>',
    `<tool_call>${functionOf('<parameter=place>a</parameter>')}${functionOf('<parameter=place>b</parameter>')}</tool_call>`,
  ),
  onlyText('a call that is too long', `<tool_call>${JSON_CALL.replace('here', 'x'.repeat(300_000))}</tool_call>`),
]

describe.each(databases)('calls within the text, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [probe] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(lines(TEXTS))('%s · %s', async (_wire, _does, number, scenario) => {
    const { found, wanted } = await stage.run(number, scenario)
    expect(found).toEqual(wanted)
  })
})
