import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { any, error, fails, on, reply } from './stage/engines/refusals.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import { databases } from './stage/servers/postgres.ts'

/** The same of local servers, of routers, and of what stands in front of them. */
const CAUSES: Scenario[] = [
  on(
    any,
    'OpenRouter: 402 no credits',
    reply(402, error('Insufficient credits. Add more', { code: 402 })),
    fails('engine_quota'),
  ),
  on(
    any,
    'OpenRouter: 403 limit of the key',
    reply(403, error('Key limit exceeded (total limit)', { code: 403 })),
    fails('engine_quota'),
  ),
  on(
    any,
    'OpenRouter: 403 moderation',
    reply(403, error('openai/x requires moderation. Your input was flagged', { code: 403 })),
    fails('engine_refused', /flagged/),
  ),
  on(
    any,
    'Azure: 403 firewall',
    reply(403, error('Access denied due to Virtual Network/Firewall rules.', { code: '403' })),
    fails('engine_refused', /Firewall/),
  ),
  on(
    any,
    'a web page with 403 from a firewall in front',
    reply(403, '<html><title>Attention Required! | Cloudflare</title></html>', { 'content-type': 'text/html' }),
    fails('engine_refused'),
  ),
  on(any, 'a plain 403', reply(403, error('Forbidden')), fails('engine_key')),
  on(
    any,
    'OpenRouter: 404 privacy setting',
    reply(404, error('No endpoints found matching your data policy', { code: 404 })),
    fails('engine_refused', /data policy/),
  ),
  on(
    any,
    'OpenRouter: 400 unknown model',
    reply(400, error('foo/bar is not a valid model ID', { code: 400 })),
    fails('engine_model'),
  ),
  on(
    any,
    'OpenRouter: what its provider said',
    reply(
      400,
      error('Provider returned error', { code: 400, metadata: { raw: '{"error":{"message":"tools are too many"}}' } }),
    ),
    fails('engine_refused', /tools are too many/),
  ),
  on(
    any,
    'LiteLLM: 400 unknown model',
    reply(400, error('/chat/completions: Invalid model name passed in model=x', { code: '400' })),
    fails('engine_model'),
  ),
  on(
    any,
    'Ollama: 404 not pulled',
    reply(404, { error: 'model "x" not found, try pulling it first' }),
    fails('engine_model', /pulling/),
  ),
  on(
    any,
    'LM Studio: 404 nothing loaded',
    reply(404, error('No models loaded. Please load a model in the developer page.')),
    fails('engine_model'),
  ),
  on(
    any,
    'Azure: 404 deployment',
    reply(404, error('The API deployment for this resource does not exist.', { code: 'DeploymentNotFound' })),
    fails('engine_model', /deployment/),
  ),
  on(
    any,
    'FastAPI: 422 detail as text',
    reply(422, { detail: 'no such field' }),
    fails('engine_refused', 'no such field'),
  ),
  on(
    any,
    'FastAPI: 422 detail as a list',
    reply(422, { detail: [{ loc: ['body', 'tools'], msg: 'extra fields not permitted' }] }),
    fails('engine_refused', /extra fields/),
  ),
  on(
    any,
    'vLLM: 400 in its own form',
    reply(400, { object: 'error', message: 'min_p must be in [0, 1]', type: 'BadRequestError', code: 400 }),
    fails('engine_refused', /min_p/),
  ),
  on(
    any,
    'Cloudflare: a list of errors',
    reply(400, { success: false, errors: [{ code: 7009, message: 'upstream is unhappy' }] }),
    fails('engine_refused', 'upstream is unhappy'),
  ),
  on(
    any,
    'Google on its compatible address: an error in a list',
    reply(400, [error('Invalid JSON payload', { code: 400, status: 'INVALID_ARGUMENT' })]),
    fails('engine_refused', 'Invalid JSON payload'),
  ),
  on(
    any,
    'an error as plain text',
    reply(400, 'prompt template failed', { 'content-type': 'text/plain' }),
    fails('engine_refused', 'prompt template failed'),
  ),
  on(
    any,
    'llama.cpp: 400 context',
    reply(400, error('the request exceeds the available context size', { type: 'exceed_context_size_error' })),
    fails('engine_context', undefined, 2),
  ),
  on(
    any,
    'LM Studio: 400 context',
    reply(400, {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    }),
    // Made to fit what it says, and once more to half of that.
    fails('engine_context', undefined, 3),
  ),
  on(
    any,
    'a web page instead of an answer',
    { body: '<html>Welcome</html>', headers: { 'content-type': 'text/html' } },
    fails('engine_answer'),
  ),
  on(any, 'nothing at all', { body: '' }, fails('engine_answer')),
]

describe.each(databases)('what a server refuses, on $name', (database) => {
  let stage: ScenarioStage
  beforeAll(async () => {
    stage = await openScenarios(database)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(lines(CAUSES))('%s · %s', async (_wire, _does, number, scenario) => {
    const { found, wanted } = await stage.run(number, scenario)
    expect(found).toEqual(wanted)
  })
})
