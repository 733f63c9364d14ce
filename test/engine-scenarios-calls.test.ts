import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probe } from './stage/engines/probe.ts'
import { any } from './stage/engines/refusals.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage, type Seen } from './stage/engines/scenario-stage.ts'
import { delta, sse, toolCall, WIRES } from './stage/engines/wires.ts'
import type { Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'

const stream = (...events: (object | string)[]): Reply => ({ body: sse(...events) })
const called = delta({}, 'tool_calls')
const HERE = { place: 'here' }
const look = (args: object = HERE, repaired?: string, status = 'done'): NonNullable<Seen['calls']> => [
  ['probe.look', args, status, repaired],
]
/** Arguments as the model wrote them, and what the tool was given; then the model answers. */
const given = (does: string, args: string, input: object, repaired?: string): Scenario => [
  any,
  does,
  [WIRES[any].calls({ name: 'probe__look', args })],
  { calls: look(input, repaired), asked: 2 },
]
/** Arguments that mean nothing for certain: the call is refused with a reason, and the model may mend it. */
const refused = (does: string, args: string, shown: object = {}): Scenario => [
  any,
  does,
  [WIRES[any].calls({ name: 'probe__look', args })],
  { calls: look(shown, undefined, 'failed'), asked: 2 },
]
const named = (does: string, name: string, repaired?: string): Scenario => [
  any,
  does,
  [WIRES[any].calls({ name, args: '{"place":"here"}' })],
  { calls: look(HERE, repaired), asked: 2 },
]
const unknown = (does: string, name: string): Scenario => [
  any,
  does,
  [WIRES[any].calls({ name, args: '{}' })],
  { calls: [[name, {}, 'failed']], asked: 2 },
]
const DEEP = `{"host":${'['.repeat(101)}${']'.repeat(101)}}`
/** Cut off, so it is asked again. */
const BROKEN: Seen = { notices: ['engine_again'], asked: 2 }

/** How models and servers write calls, and which call comes of it. */
const CALLS: Scenario[] = [
  given('as everybody does it', '{"place":"here"}', HERE),
  [
    any,
    'arguments as an object (Ollama)',
    [
      stream(
        delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'probe__look', arguments: HERE } }] }),
        called,
        '[DONE]',
      ),
    ],
    { calls: look(), asked: 2 },
  ],
  [
    any,
    'no index, no id, no type',
    [
      stream(
        delta({ tool_calls: [{ function: { name: 'probe__look', arguments: '{"place":"here"}' } }] }),
        called,
        '[DONE]',
      ),
    ],
    { calls: look() },
  ],
  [
    any,
    'index as text, id as a number',
    [
      stream(
        delta({
          tool_calls: [{ index: '0', id: 7, function: { name: 'probe__look', arguments: '{"place":"here"}' } }],
        }),
        called,
        '[DONE]',
      ),
    ],
    { calls: look() },
  ],
  [
    any,
    'tool_calls that is no list',
    [stream(delta({ tool_calls: toolCall({ name: 'probe__look', args: '{"place":"here"}' }) }), called, '[DONE]')],
    { calls: look() },
  ],
  [
    any,
    'name and arguments without function',
    [stream(delta({ tool_calls: [{ index: 0, name: 'probe__look', arguments: HERE }] }), called, '[DONE]')],
    { calls: look() },
  ],
  [
    any,
    'function_call (the old form)',
    [
      stream(
        delta({ function_call: { name: 'probe__look', arguments: '{"place":"here"}' } }),
        delta({}, 'function_call'),
        '[DONE]',
      ),
    ],
    { calls: look() },
  ],
  [
    any,
    'finish_reason stop with a call',
    [
      stream(
        delta({ tool_calls: [toolCall({ name: 'probe__look', args: '{"place":"here"}' })] }),
        delta({}, 'stop'),
        '[DONE]',
      ),
    ],
    { calls: look() },
  ],
  [
    any,
    'a call, no finish_reason, [DONE]',
    [stream(delta({ tool_calls: [toolCall({ name: 'probe__look', args: '{"place":"here"}' })] }), '[DONE]')],
    { calls: look() },
  ],
  [
    any,
    'plain JSON with a call',
    [
      {
        body: {
          choices: [
            {
              message: {
                content: null,
                tool_calls: [{ id: 'a', type: 'function', function: { name: 'probe__look', arguments: HERE } }],
              },
              finish_reason: 'tool_calls',
            },
          ],
        },
      },
    ],
    { calls: look() },
  ],
  [
    any,
    'the same id for two calls',
    [
      WIRES[any].calls(
        { name: 'probe__look', args: '{"place":"a"}', id: 'x' },
        { name: 'probe__look', args: '{"place":"b"}', id: 'x' },
      ),
    ],
    { calls: [...look({ place: 'a' }), ...look({ place: 'b' })] },
  ],
  [
    any,
    'an empty id',
    [WIRES[any].calls({ name: 'probe__look', args: '{"place":"here"}', id: '' })],
    { calls: look() },
  ],
  [
    any,
    'a call of nothing, with no arguments',
    [WIRES[any].calls({ name: 'probe__ping', args: '' })],
    { calls: [['probe.ping', {}]] },
  ],
  [
    any,
    'length in the middle of a call',
    [
      stream(
        delta({ tool_calls: [toolCall({ name: 'probe__look', args: '{"place":"he' })] }),
        delta({}, 'length'),
        '[DONE]',
      ),
    ],
    { calls: look({}, undefined, 'failed'), asked: 2 },
  ],
  [
    any,
    'length before the first argument',
    [stream(delta({ tool_calls: [toolCall({ name: 'probe__ping', args: '' })] }), delta({}, 'length'), '[DONE]')],
    { calls: [['probe.ping', {}, 'failed']], asked: 2 },
  ],
  [
    any,
    'a call that is cut off, no finish_reason, [DONE]',
    [stream(delta({ tool_calls: [toolCall({ name: 'probe__look', args: '{"place":"he' })] }), '[DONE]')],
    BROKEN,
  ],
  [
    any,
    'a call without any arguments, no finish_reason, [DONE]',
    [stream(delta({ tool_calls: [toolCall({ name: 'probe__ping', args: '' })] }), '[DONE]')],
    BROKEN,
  ],
  [
    any,
    'a line without end',
    [{ body: `data: {"choices":[{"delta":{"content":"${'x'.repeat(5 * 1024 * 1024)}` }],
    { code: 'engine_answer', text: '' },
  ],
  given('a comma too many', '{"place":"here","tags":["a","b",],}', { place: 'here', tags: ['a', 'b'] }, 'json'),
  given('encoded twice', JSON.stringify('{"place":"here"}'), HERE, 'json'),
  given('fenced as code', '```json\n{"place":"here"}\n```', HERE, 'json'),
  given('a comma and a brace in a text stay', '{"place":"a,}","limit":1}', { place: 'a,}', limit: 1 }),
  given('"2" for an integer', '{"place":"here","limit":"2"}', { place: 'here', limit: 2 }, 'values'),
  given('"0.5" for a number', '{"place":"here","ratio":"0.5"}', { place: 'here', ratio: 0.5 }, 'values'),
  given('"true" for a boolean', '{"place":"here","deep":"True"}', { place: 'here', deep: true }, 'values'),
  given('null for what is optional', '{"place":"here","limit":null,"tags":null}', HERE, 'values'),
  given('a list as text', '{"place":"here","tags":"[\\"a\\"]"}', { place: 'here', tags: ['a'] }, 'values'),
  given(
    'an object as text',
    '{"place":"here","where":"{\\"host\\":\\"web\\"}"}',
    { place: 'here', where: { host: 'web' } },
    'values',
  ),
  given('a number for a text', '{"place":7}', { place: '7' }, 'values'),
  given('a number in a list of texts', '{"place":"here","tags":[1]}', { place: 'here', tags: ['1'] }, 'values'),
  given('what takes both stays as it is', '{"place":"here","either":"2"}', { place: 'here', either: '2' }),
  given('several at once', '{"place":"here","limit":"2",}', { place: 'here', limit: 2 }, 'json,values'),
  refused('null for what is needed', '{"place":null}', { place: null }),
  refused('"2.5" for an integer', '{"place":"here","limit":"2.5"}', { place: 'here', limit: '2.5' }),
  refused('"yes" for a boolean', '{"place":"here","deep":"yes"}', { place: 'here', deep: 'yes' }),
  refused('"1e3" for an integer', '{"place":"here","limit":"1e3"}', { place: 'here', limit: '1e3' }),
  refused('a number that would not come out as it went in', '{"place":"here","limit":"12345678901234567890"}', {
    place: 'here',
    limit: '12345678901234567890',
  }),
  refused('one text for a list', '{"place":"here","tags":"a"}', { place: 'here', tags: 'a' }),
  refused('an argument that nobody knows', '{"place":"here","user":"root"}', { place: 'here', user: 'root' }),
  refused('another word than those allowed', '{"place":"here","kind":"File"}', { place: 'here', kind: 'File' }),
  refused('single quotes', "{'place':'here'}"),
  refused('__proto__ in an object as text', '{"place":"here","where":"{\\"__proto__\\":{\\"a\\":1}}"}', {
    place: 'here',
    where: '{"__proto__":{"a":1}}',
  }),
  refused('an object as text that is nested too deep', `{"place":"here","where":${JSON.stringify(DEEP)}}`, {
    place: 'here',
    where: DEEP,
  }),
  refused('quotes that are not closed', `{"place":"${'\\"'.repeat(100_000)}`),
  refused('cut off', '{"place":"here'),
  refused('two objects in a row', '{"place":"a"}{"place":"b"}'),
  refused('a list', '[{"place":"here"}]'),
  refused('__proto__', '{"place":"here","__proto__":{}}'),
  named('the name with a dot', 'probe.look', 'name'),
  named('functions. before it (GPT-OSS, Kimi)', 'functions.probe__look', 'name'),
  named('default_api. before it (Gemini)', 'default_api.probe__look', 'name'),
  named('a mark behind it (GPT-OSS)', 'probe__look<|channel|>commentary', 'name'),
  named('capitals', 'Probe__Look', 'name'),
  named('one underscore', 'probe_look', 'name'),
  named('only the tool, which one module has', 'look', 'name'),
  unknown('a tool that nobody has', 'system__destroy'),
]

describe.each(databases)('how calls are written, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [probe] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(lines(CALLS))('%s · %s', async (_wire, _does, number, scenario) => {
    const { found, wanted } = await stage.run(number, scenario)
    expect(found).toEqual(wanted)
  })
})
