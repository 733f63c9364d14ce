import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AiProvider } from '../server/ai/engine-setting.ts'
import { any, error, reply } from './stage/engines/refusals.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import { WIRES } from './stage/engines/wires.ts'
import type { Asked, Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'

/** Refused with tools, answered without. */
function withoutTools(wire: AiProvider, does: string, refusal: Reply): Scenario {
  const check = (asked: readonly Asked[]): void => {
    expect(asked.map(({ body }) => 'tools' in (body as object))).toEqual([true, false])
  }
  const seen = { notices: ['engine_no_tools'], asked: 2 }
  return [wire, does, [refusal, WIRES[wire].text('Done.')], seen, check]
}

/** What servers say of a model that takes no tools. It chats anyway. */
const NO_TOOLS: Scenario[] = [
  withoutTools(any, 'Ollama', reply(400, { error: 'registry.ollama.ai/library/gemma:2b does not support tools' })),
  withoutTools(
    any,
    'OpenRouter',
    reply(404, error('No endpoints found that support tool use. To learn more …', { code: 404 })),
  ),
  withoutTools(
    any,
    'vLLM',
    reply(400, {
      object: 'error',
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      code: 400,
    }),
  ),
  withoutTools(any, 'llama.cpp', reply(500, error('tools param requires --jinja flag', { code: 500 }))),
  withoutTools(any, 'Groq', reply(400, error('`tools` is not supported with this model'))),
  withoutTools(any, 'Groq, in its words before', reply(400, error('tool calling is not supported with this model'))),
  withoutTools(any, 'DeepSeek', reply(400, error('deepseek-reasoner does not support Function Calling'))),
  withoutTools(any, 'Mistral', reply(400, { message: 'Function calling is not enabled for this model' })),
  withoutTools(
    'google',
    'Gemma at Google',
    reply(
      400,
      error('Function calling is not enabled for models/gemma-3-27b-it', { code: 400, status: 'INVALID_ARGUMENT' }),
    ),
  ),
  withoutTools(
    'openai',
    'OpenAI',
    reply(400, error("Unsupported parameter: 'tools' is not supported with this model.")),
  ),
]

describe.each(databases)('a model that takes no tools, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(lines(NO_TOOLS))('%s · %s takes no tools', async (_wire, _does, number, scenario) => {
    const { found, wanted } = await stage.run(number, scenario)
    expect(found).toEqual(wanted)
  })
})
