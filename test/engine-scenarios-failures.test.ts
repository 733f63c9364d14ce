import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { any, error, fails, on, reply } from './stage/engines/refusals.ts'
import { lines, openScenarios, type Scenario, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import { databases } from './stage/servers/postgres.ts'

const gemini = (code: number, status: string, message: string, details: object[] = []) =>
  reply(code, error(message, { code, status, details }))
const FREE_TIER =
  'You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 10. Please retry in 34.07s.'

/** What providers say when they refuse, and which cause the person is told. */
const CAUSES: Scenario[] = [
  on(
    any,
    'OpenAI: 401 wrong key',
    reply(401, error('Incorrect API key provided: sk-of-the-test')),
    fails('engine_key'),
  ),
  on(
    any,
    'xAI: 400 wrong key',
    reply(400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xx***yy.' }),
    fails('engine_key'),
  ),
  on(
    any,
    'DeepSeek: 402 no balance',
    reply(402, error('Insufficient Balance')),
    fails('engine_quota', 'Insufficient Balance'),
  ),
  on(
    any,
    'OpenAI: 429 insufficient_quota',
    reply(429, error('You exceeded your current quota', { type: 'insufficient_quota', code: 'insufficient_quota' })),
    fails('engine_quota'),
  ),
  on(
    any,
    'Moonshot: 429 exceeded_current_quota_error',
    reply(
      429,
      error('Your account is suspended, please check your plan and billing details', {
        type: 'exceeded_current_quota_error',
      }),
    ),
    fails('engine_quota'),
  ),
  on(
    any,
    'xAI: 403 spending limit',
    reply(403, {
      code: 'permission',
      error: 'Your team has used all available credits or reached its monthly spending limit.',
    }),
    fails('engine_quota', /spending limit/),
  ),
  on(
    any,
    'OpenAI: 403 country',
    reply(403, error('Country, region, or territory not supported', { code: 'unsupported_country_region_territory' })),
    fails('engine_refused', /Country/),
  ),
  on(
    any,
    'OpenAI: 403 no access to the model',
    reply(403, error('Project `p` does not have access to model `m`', { code: 'model_not_found' })),
    fails('engine_model'),
  ),
  on(
    'anthropic',
    '400 credit balance',
    reply(400, {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the Anthropic API.' },
    }),
    fails('engine_quota'),
  ),
  on(
    'anthropic',
    '403 permission_error',
    reply(403, {
      type: 'error',
      error: {
        type: 'permission_error',
        message: 'Your API key does not have permission to use the specified resource.',
      },
    }),
    fails('engine_key'),
  ),
  on(
    'anthropic',
    '404 model',
    reply(404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-x' } }),
    fails('engine_model', /claude-x/),
  ),
  on(
    'anthropic',
    '413 too large',
    reply(413, { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }),
    fails('engine_context', undefined, 2),
  ),
  on(
    'google',
    '400 key',
    gemini(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
    fails('engine_key'),
  ),
  on(
    'google',
    '400 key expired',
    gemini(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.'),
    fails('engine_key'),
  ),
  on(
    'google',
    '403 leaked key',
    gemini(403, 'PERMISSION_DENIED', 'Your API key was reported as leaked. Please use another API key.'),
    fails('engine_key'),
  ),
  on(
    'google',
    '403 service disabled',
    gemini(
      403,
      'PERMISSION_DENIED',
      'Generative Language API has not been used in project 1 before or it is disabled.',
    ),
    fails('engine_refused', /disabled/),
  ),
  on(
    'google',
    '400 location',
    gemini(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    fails('engine_refused', /location/),
  ),
  on(
    'google',
    '429 free tier, for more seconds than a run waits',
    gemini(429, 'RESOURCE_EXHAUSTED', FREE_TIER.replace('34.07s', '94.2s')),
    fails('engine_rate', /free_tier/),
  ),
  on(
    'google',
    '429 for the rest of the day',
    gemini(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded.', [
      { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] },
    ]),
    fails('engine_rate'),
  ),
  on(
    'google',
    '429 credits depleted',
    gemini(
      429,
      'RESOURCE_EXHAUSTED',
      'Your prepayment credits are depleted. Please go to AI Studio to manage billing.',
    ),
    fails('engine_quota'),
  ),
  on(
    'google',
    '404 model',
    gemini(404, 'NOT_FOUND', 'models/x is not found for API version v1beta'),
    fails('engine_model'),
  ),
  on(
    any,
    'DeepSeek: 400 unknown model',
    reply(400, error('Model Not Exist', { type: 'invalid_request_error' })),
    fails('engine_model'),
  ),
  on(
    any,
    'Mistral: 400 unknown model',
    reply(400, { object: 'error', message: 'Invalid model: mistral-x', type: 'invalid_model', code: '1500' }),
    fails('engine_model', 'Invalid model'),
  ),
  on(
    any,
    'Groq: 413 more tokens than a minute allows',
    reply(
      413,
      error('Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000', {
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
    ),
    fails('engine_context', undefined, 2),
  ),
  on(
    any,
    'OpenAI: 429 a request that no minute allows',
    reply(
      429,
      error('Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 20000.', {
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
    ),
    fails('engine_context', undefined, 2),
  ),
  on(
    'openai',
    '400 a tool schema that it refuses',
    reply(400, error("Invalid schema for function 'x'", { type: 'invalid_request_error', param: 'tools[0]' })),
    fails('engine_refused', /Invalid schema/),
  ),
]

describe.each(databases)('what a provider refuses, on $name', (database) => {
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
