import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { AiProvider } from '../server/ai/engine-setting.ts'
import { lastAnswer, noticesOf, say } from './stage/chat-stage.ts'
import { probe } from './stage/engines/probe.ts'
import { any, error, reply } from './stage/engines/refusals.ts'
import { openScenarios, type ScenarioStage } from './stage/engines/scenario-stage.ts'
import { WIRES } from './stage/engines/wires.ts'
import { hostile, READ } from './stage/modules/hostile-module.ts'
import type { Asked, Reply } from './stage/servers/engine-bytes.ts'
import { databases } from './stage/servers/postgres.ts'

const { engines: routes } = contract
const answer = WIRES[any].text('Done.')

describe.each(databases)('what a model takes, on $name', (database) => {
  let stage: ScenarioStage
  let count = 0
  beforeAll(async () => {
    stage = await openScenarios(database, { builtins: [camera] })
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const admin = () => stage.app.as('admin')
  const ofEngine = (name: string, more: object = {}) => ({
    provider: any as AiProvider,
    name,
    base_url: `${stage.server.origin}/${name}`,
    model: name,
    api_key: null,
    context_tokens: 32_000,
    price: null,
    timeout_ms: 60_000,
    idle_timeout_ms: 60_000,
    ...more,
  })
  const add = async (name: string, more: object = {}) =>
    (await (await admin()).call(routes.addEngine, { body: ofEngine(name, more) })).engine
  const known = async (engine_id: string) => {
    const { items } = await (await admin()).call(routes.listEngines)
    const engine = items.find((one) => one.engine_id === engine_id)!
    return engine.facts!.flatMap(({ model, facts: all }) => (model === engine.model ? all : []))
  }
  const facts = async (engine_id: string) =>
    Object.fromEntries((await known(engine_id)).map(({ fact, source, value }) => [fact, [source, value]]))
  /** What was found against what is set. */
  const against = async (engine_id: string) =>
    Object.fromEntries(
      (await known(engine_id)).flatMap(({ fact, against: one }) => (one ? [[fact, [one.source, one.value]]] : [])),
    )
  /** A message in a conversation of its own, or in the given one: what was asked, and what was said about it. */
  async function write(
    engine: { engine_id: string; model: string },
    replies: Reply[],
    more: { conversation_id?: string; attachment_ids?: string[] } = {},
  ) {
    const cue = `ability ${++count}.`
    const asked = stage.server.play(cue, replies, answer)
    const { client } = stage
    const conversation_id = more.conversation_id ?? (await client.call(contract.chat.reset)).conversation_id
    const { engine_id, model } = engine
    await say(client, cue, { ...more, conversation_id, engine: { engine_id, model } }).catch(() => undefined)
    const said = await lastAnswer(client, conversation_id)
    return { asked, conversation_id, notices: noticesOf(said), status: said.status }
  }

  test('what a refusal has taught is remembered, said once in a conversation, and gone with another address', async () => {
    const engine = await add('gemma')
    const refusal = reply(400, { error: 'gemma does not support tools' })
    const first = await write(engine, [refusal, answer])
    expect(first).toMatchObject({ status: 'complete', notices: ['engine_no_tools'] })
    expect(await facts(engine.engine_id)).toEqual({ tools: ['learned', 0] })
    const system = (first.asked[1]!.body as { messages: { content: string }[] }).messages[0]!.content
    expect(system).toContain('You have no tools here')

    const second = await write(engine, [answer], { conversation_id: first.conversation_id })
    expect(second.asked.map(({ body }) => 'tools' in (body as object))).toEqual([false])
    expect(second.notices).toEqual([])
    // In another conversation it is said again.
    expect((await write(engine, [answer])).notices).toEqual(['engine_no_tools'])

    const { engine_id } = engine
    const client = await admin()
    const moved = ofEngine('gemma', { base_url: `${stage.server.origin}/elsewhere` })
    await client.call(routes.updateEngine, { params: { engine_id }, body: moved })
    expect(await facts(engine_id)).toEqual({})
  })

  test('and nothing is learned of an engine that is elsewhere by the time it refuses', async () => {
    const engine = await add('leaving')
    const { engine_id } = engine
    const client = await admin()
    const body = ofEngine('leaving', { base_url: `${stage.server.origin}/elsewhere` })
    const after = () => client.call(routes.updateEngine, { params: { engine_id }, body })
    const refusal = { ...reply(400, { error: 'leaving does not support tools' }), after }
    const { status } = await write(engine, [refusal, answer])
    expect(status).toBe('complete')
    // Nor when it comes back.
    await client.call(routes.updateEngine, { params: { engine_id }, body: ofEngine('leaving') })
    expect(await facts(engine_id)).toEqual({})
  })

  /** A picture of the person's. */
  async function picture(name: string): Promise<string> {
    const { file } = await stage.client.call(contract.files.upload, { headers: { 'x-file-name': name }, body: PICTURE })
    return file.file_id
  }
  const pictures = (asked: readonly Asked[]) =>
    asked.map(({ body }) => JSON.stringify(body).split('data:image/png;base64').length - 1)

  test('a model that takes no pictures is asked again without them, and never again with them', async () => {
    const engine = await add('blind')
    const refusal = reply(400, error('image input is not supported - hint: provide the mmproj', { code: 500 }))
    const first = await write(engine, [refusal, answer], { attachment_ids: [await picture('one.png')] })
    expect(first).toMatchObject({ status: 'complete', notices: ['engine_no_pictures'] })
    expect(pictures(first.asked)).toEqual([1, 0])
    expect(JSON.stringify(first.asked[1]!.body)).toContain('one.png')
    expect(await facts(engine.engine_id)).toEqual({ pictures: ['learned', 0] })
    // The picture is still in the conversation, and poisons nothing.
    const second = await write(engine, [answer], { conversation_id: first.conversation_id })
    expect(second).toMatchObject({ status: 'complete', notices: [] })
    expect(pictures(second.asked)).toEqual([0])
    // Another one is told about again.
    const more = { conversation_id: first.conversation_id, attachment_ids: [await picture('two.png')] }
    expect(await write(engine, [answer], more)).toMatchObject({ notices: ['engine_no_pictures'] })
    // A model that sees gets them all.
    const seeing = await write(await add('seeing'), [answer], { conversation_id: first.conversation_id })
    expect(pictures(seeing.asked)).toEqual([2])
  })

  const shoot = (...places: string[]) =>
    WIRES[any].calls(
      ...places.map((place, at) => ({ name: 'probe__shoot', args: JSON.stringify({ place }), id: `c${at}` })),
    )

  test('a picture that a tool returns is seen by a model that sees, after its result', async () => {
    const engine = await add('watching')
    const { asked, status } = await write(engine, [shoot('door'), answer])
    expect(status).toBe('complete')
    expect(pictures(asked)).toEqual([0, 1])
    const { messages } = asked[1]!.body as { messages: { role: string; content: unknown }[] }
    expect(messages.slice(-3).map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    // Two steps whose calls have the same id are two calls.
    const twice = await write(engine, [shoot('door'), shoot('gate'), answer])
    expect(pictures(twice.asked)).toEqual([0, 1, 2])
    // Of many the latest are shown.
    const many = await write(engine, [shoot('1', '2', '3', '4', '5', '6'), answer])
    expect(pictures(many.asked)).toEqual([0, 4])
  })

  test.each(['anthropic', 'openai', 'google'] as const)('the same on the wire of %s', async (provider) => {
    const engine = await add(`watching-${provider}`, { provider, api_key: 'sk-of-the-test' })
    const call = WIRES[provider].calls({ name: 'probe__shoot', args: '{"place":"door"}' })
    const { asked, status } = await write(engine, [call, WIRES[provider].text('Done.')])
    expect(status).toBe('complete')
    const data = PICTURE.toString('base64')
    expect(asked.map(({ body }) => JSON.stringify(body).includes(data))).toEqual([false, true])
  })

  test.each([
    ['Could not process image'],
    ['Image input is not supported for image/x-icon'],
    ['This model does not support images: at most 20 MB'],
    ['Image inputs are not supported in this size'],
  ])('a picture that a provider cannot read is left out, which is said, and nothing is learned: %s', async (said) => {
    const engine = await add(`puzzled-${++count}`)
    const refusal = reply(400, error(said, { type: 'invalid_request_error' }))
    const { asked, status, notices } = await write(engine, [shoot('door'), refusal, shoot('gate'), answer])
    expect(status).toBe('complete')
    // Nor is it sent again after the next call, whose own picture is.
    expect(pictures(asked)).toEqual([0, 1, 0, 1])
    expect(JSON.stringify(asked[3]!.body)).toMatch(/gate.*A picture in the result/)
    expect(notices).toEqual(['engine_pictures_refused'])
    expect(await facts(engine.engine_id)).toEqual({})
    // Another answer of the conversation begins anew.
    expect(pictures((await write(engine, [shoot('door'), answer])).asked)).toEqual([0, 1])
  })

  test('nor is anything learned where it is a picture of a person', async () => {
    const engine = await add('choosy')
    const refusal = reply(400, error('Image input is not supported for image/x-icon'))
    const { status, notices } = await write(engine, [refusal], { attachment_ids: [await picture('icon.png')] })
    expect([status, notices]).toEqual(['failed', ['engine_refused']])
    expect(await facts(engine.engine_id)).toEqual({})
  })

  test('a model that wants no picture after a result still sees those of people', async () => {
    const engine = await add('orderly')
    const refusal = reply(400, { message: "Unexpected role 'user' after role 'tool'", type: 'invalid_request_error' })
    const attachment_ids = [await picture('three.png')]
    const { asked, status, notices } = await write(engine, [shoot('door'), refusal, answer], { attachment_ids })
    expect(status).toBe('complete')
    expect(pictures(asked)).toEqual([1, 2, 1])
    expect(notices).toEqual([])
    expect(await facts(engine.engine_id)).toEqual({ tool_pictures: ['learned', 0] })
  })

  test('as many tokens as an engine says it takes are kept to from then on', async () => {
    const engine = await add('short', { context_tokens: 200_000 })
    const refusal = reply(
      400,
      error("This model's maximum context length is 8192 tokens. However, you requested 20000"),
    )
    const { status, asked } = await write(engine, [refusal, answer])
    expect(status).toBe('complete')
    const size = (one: Asked) => JSON.stringify(one.body).length
    expect(size(asked[1]!)).toBeLessThan(size(asked[0]!))
    expect(await facts(engine.engine_id)).toEqual({ context: ['learned', 8192] })
    const { items } = await stage.client.call(contract.chat.listEngines)
    expect(items.find(({ engine_id }) => engine_id === engine.engine_id)).toMatchObject({ context_tokens: 8192 })
    // What an administrator sets counts more than what was learned.
    const { engine_id, model } = engine
    const client = await admin()
    await client.call(routes.setModelFacts, { params: { engine_id }, body: { model, context: 16_000, tools: false } })
    expect(await facts(engine_id)).toEqual({ context: ['set', 16_000], tools: ['set', 0] })
    expect((await write(engine, [answer])).asked.map(({ body }) => 'tools' in (body as object))).toEqual([false])
    // And stays where it is contradicted once more, which is shown.
    expect(await against(engine_id)).toEqual({ context: ['learned', 8192] })
    const fewer = reply(400, error("This model's maximum context length is 4096 tokens."))
    expect(await write(engine, [fewer, answer])).toMatchObject({ status: 'complete' })
    expect(await against(engine_id)).toEqual({ context: ['learned', 4096] })
    await client.call(routes.setModelFacts, { params: { engine_id }, body: { model, context: 4000, tools: true } })
    expect(await against(engine_id)).toEqual({})
    const none = reply(400, { error: 'short does not support tools' })
    expect(await write(engine, [none, answer])).toMatchObject({ status: 'complete' })
    expect(await facts(engine_id)).toEqual({ context: ['set', 4000], tools: ['set', 1] })
    expect(await against(engine_id)).toEqual({ tools: ['learned', 0] })
    await client.call(routes.setModelFacts, { params: { engine_id }, body: { model, context: null, tools: null } })
    expect(await facts(engine_id)).toEqual({ context: ['learned', 4096], tools: ['learned', 0] })
    const { items: entries } = await client.call(contract.accounts.audit, { query: { action: 'engine.facts' } })
    expect(entries.map(({ details }) => details)).toContainEqual({ engine_id, model, context: 16_000, tools: 0 })
    await expect(
      client.call(routes.setModelFacts, { params: { engine_id }, body: { model: 'another', tools: true } }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each<[string, Reply, string]>([
    ['a key that is wrong', reply(401, error('Incorrect API key. This key does not support tools')), 'failed'],
    ['a limit of rate', reply(429, error('tools are not supported at this rate')), 'complete'],
    ['one format of pictures', reply(400, error('The image format is not supported')), 'failed'],
    ['one option', reply(400, error('parallel_tool_calls is not supported with this model')), 'failed'],
    ['one schema', reply(400, error("Function 'foo' parameters 'minLength' are not supported")), 'failed'],
    ['a place', reply(403, error('This model does not support tools in your country')), 'failed'],
    [
      'what only repeats the request',
      reply(400, { ...error('Invalid JSON payload'), input: 'it does not support tools' }),
      'failed',
    ],
    ['a refusal of what was not sent', reply(400, error('image input is not supported')), 'failed'],
  ])('nothing is learned from %s', async (what, refusal, ends) => {
    const engine = await add(`taught-${what.replaceAll(' ', '-')}`)
    const { status } = await write(engine, [refusal])
    expect(status).toBe(ends)
    expect(await facts(engine.engine_id)).toEqual({})
  })
})

/** 32 by 32 points of red. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAKElEQVR42u3NQQkAAAgAseuf0TCm8CEM9l9TpxIIBAKBQCAQCARfggW09XAu+IMdsgAAAABJRU5ErkJggg==',
  'base64',
)

const SHOT = { name: 'shoot', description: 'Takes a picture.', annotations: READ }
const camera = {
  ...hostile(
    [{ ...SHOT, inputSchema: { type: 'object', properties: { place: { type: 'string' } } } }],
    () => ({
      content: [
        { type: 'text', text: 'Here it is.' },
        { type: 'image', mimeType: 'image/png', data: PICTURE.toString('base64') },
      ],
    }),
    'probe',
  ),
  manifest: probe.manifest,
}
