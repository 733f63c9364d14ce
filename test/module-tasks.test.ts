import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ToolAnswer, ToolQuestion } from '../server/chat/ports/tools.ts'
import { closeHosts, run } from './stage/modules/hostile-module.ts'
import { openWorkshop } from './stage/modules/module-workshop.ts'
import { toolRequest } from './stage/tool-request.ts'

let workshop: Awaited<ReturnType<typeof openWorkshop>>
beforeAll(async () => {
  workshop = await openWorkshop()
})
afterEach(closeHosts)
afterAll(() => workshop[Symbol.asyncDispose]())

/** A server that runs its tool as a task only, as the revision of 2025-11-25 has it; `steps` is what asking about it says in turn. */
const OLDER = `
const seen = []
tools = [tool('a', { execution: { taskSupport: 'required' } })]
on('initialize', ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }, serverInfo: { name: 'tasks', version: '1' } }))
let cancelled = false
const about = (status, more) => ({ taskId: 't1', status, ttl: 1000, createdAt: '', lastUpdatedAt: '', pollInterval: 1, ...more })
on('tools/call', ({ task }) => { seen.push('call'); return task ? { task: about('working', { statusMessage: 'begun' }) } : { content: [], isError: true } })
on('tasks/cancel', () => { seen.push('cancel'); cancelled = true; return about('cancelled') })
`
/** The same by the extension of 2026: the server answers with a task by itself, where the client has said that it can. */
const NEWER = `
const seen = []
const complete = (more) => ({ resultType: 'complete', ...more })
let cancelled = false, capable
on('server/discover', () => complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }, serverInfo: { name: 'tasks', version: '1' }, ttlMs: 0, cacheScope: 'private' }))
on('tools/list', () => complete({ tools, ttlMs: 0, cacheScope: 'private' }))
const about = (status, more) => ({ taskId: 't1', status, ttlMs: 1000, createdAt: '', lastUpdatedAt: '', pollIntervalMs: 1, ...more })
on('tools/call', ({ _meta }) => { seen.push('call'); capable = _meta['io.modelcontextprotocol/clientCapabilities']?.extensions; return { resultType: 'task', ...about('working', { statusMessage: 'begun' }) } })
on('tasks/cancel', () => { seen.push('cancel'); cancelled = true; return complete() })
`
const modern = { probe: undefined }

async function begin(source: string, more: object = {}, limits: object = {}) {
  const spec = workshop.script(source, more)
  const { host, warnings } = await run([spec], limits)
  await host.started('hostile')
  const stop = new AbortController()
  const told: string[] = []
  const heard = Promise.withResolvers<void>()
  const call = (asking: { ask?: (question: ToolQuestion) => Promise<ToolAnswer> } = {}) =>
    host.call(toolRequest('hostile', 'a', {}, asking), stop.signal, (text) => {
      told.push(text)
      heard.resolve()
    })
  return { spec, host, warnings, stop, told, heard: heard.promise, call }
}

describe.each([
  ['2025-11-25', OLDER, {}],
  ['2026-07-28', NEWER, modern],
])('tasks of %s', (revision, source, more) => {
  const older = revision === '2025-11-25'
  /** What asking about the task says in turn, the last of it forever; the older form gives the result for asking. */
  const says = (...steps: string[]) =>
    older
      ? `const steps = [${steps.join(',')}]
         on('tasks/get', () => cancelled ? about('cancelled') : steps.length > 1 ? steps.shift() : steps[0])
         on('tasks/result', () => text('ended after ' + seen.join()))`
      : `const steps = [${steps.join(',')}]
         const ended = (task) => task.status === 'completed' && !task.result ? { ...task, result: text('ended after ' + seen.join()) } : task
         on('tasks/get', () => complete(cancelled ? about('cancelled') : ended(steps.length > 1 ? steps.shift() : steps[0])))`
  const done = `about('completed')`

  test('are followed to their result, with what they say on the way; the call is made once', async () => {
    const { call, told } = await begin(
      source + says(`about('working')`, ...Array<string>(6).fill(`about('working', { statusMessage: 'half' })`), done),
      more,
    )
    expect(await call()).toMatchObject({ status: 'done', text: 'ended after call' })
    expect(told).toEqual(['begun', 'half'])
  })

  test('that fail say why', async () => {
    const failed = older
      ? `about('failed', { statusMessage: 'No more paper' })`
      : `about('failed', { error: { code: -32000, message: 'No more paper' } })`
    const refuses = older ? `\non('tasks/result', () => undefined)\nhandlers.delete('tasks/result')` : ''
    const { call } = await begin(source + says(failed) + refuses, more)
    expect(await call()).toMatchObject({ status: 'failed', text: expect.stringContaining('No more paper') })
  })

  test('that the module cancels, and results of a wrong form, are failures', async () => {
    const { call } = await begin(source + says(`about('cancelled', { statusMessage: 'Closed for today' })`), more)
    expect(await call()).toMatchObject({ status: 'failed', text: expect.stringContaining('Closed for today') })
    await closeHosts()
    const wrong = older
      ? says(done) + `\non('tasks/result', () => ({ content: [{ type: 'text' }] }))`
      : says(`about('completed', { result: { content: [{ type: 'text' }] } })`)
    const other = await begin(source + wrong, more)
    expect(await other.call()).toMatchObject({ status: 'failed', text: expect.stringContaining('content[0]') })
  })

  test('are stopped with their call, without harm to the module', async () => {
    const { call, stop, heard, spec, host } = await begin(source + says(`about('working')`), more)
    const result = call()
    await heard
    stop.abort()
    // It may have had an effect, and nobody says how far it came.
    expect(await result).toMatchObject({ status: 'unknown', text: expect.stringContaining('cancelled') })
    expect([spec.links.length, host.runtime('hostile')?.restarts]).toEqual([1, 0])
  })

  test('that had ended before they were stopped have their result', async () => {
    const { call, stop, heard } = await begin(
      `${source + says(`about('working')`, `about('working')`)}
       on('tasks/cancel', () => { steps.length = 0; steps.push(${done}); return {} })`,
      more,
    )
    const result = call()
    await heard
    stop.abort()
    expect(await result).toMatchObject({ status: 'done', text: 'ended after call' })
  })

  test('that go on although they were stopped are stopped with their module', async () => {
    const { call, stop, heard, spec, host } = await begin(
      `${source + says(`about('working')`)}\non('tasks/cancel', () => ({}))`,
      more,
      { grace_ms: 200 },
    )
    const result = call()
    await heard
    stop.abort()
    expect(await result).toMatchObject({ status: 'unknown', ignored: 'restarted' })
    await host.started('hostile')
    expect(spec.links).toHaveLength(2)
  })

  test('end at the deadline of the call', async () => {
    const { call } = await begin(source + says(`about('working')`), more, { deadline_ms: 300 })
    expect(await call()).toMatchObject({ status: 'unknown', text: expect.stringContaining('did not end within') })
  })

  test('of a module that goes away are unknown, and nothing is called again', async () => {
    const { call } = await begin(`${source}\non('tasks/get', () => process.exit(3))`, more)
    expect(await call()).toMatchObject({ status: 'unknown', text: expect.stringContaining('went away') })
  })

  test('that the module does not know any more are unknown: they may be done', async () => {
    const forgotten = `\non('tasks/get', () => undefined)\nhandlers.delete('tasks/get')`
    const { call, warnings } = await begin(source + says(`about('working')`) + forgotten, more)
    const text = expect.stringContaining('became a task')
    expect(await call()).toMatchObject({ status: 'unknown', text })
    expect(warnings).toMatchObject([{ tool: 'a', reason: 'Method not found' }])
  })

  test('results with a block that the protocol does not have, and tasks that cannot be read, are failures that say so', async () => {
    const block = `{ content: [{ type: 'resource', resource: { uri: 'x://y', blob: 'AA==', mimeType: 5 } }] }`
    const wrong = older
      ? says(done) + `\non('tasks/result', () => (${block}))`
      : says(`about('completed', { result: ${block} })`)
    const one = await begin(source + wrong, more)
    expect(await one.call()).toMatchObject({ status: 'failed', text: expect.not.stringContaining('Nothing has run') })
    await closeHosts()
    const nameless = older
      ? `\non('tools/call', () => ({ task: { status: 'working' } }))`
      : `\non('tools/call', () => ({ resultType: 'task', ...about('going') }))`
    const other = await begin(source + nameless, more)
    expect(await other.call()).toMatchObject({ status: 'failed', text: expect.stringContaining('cannot be read') })
  })

  test('ask the person who made the call', async () => {
    const form = `{ message: 'Which?', requestedSchema: { type: 'object', properties: { color: { type: 'string' } } } }`
    const question = older
      ? `${says(`about('input_required')`)}
         on('tasks/result', async () => text('chosen ' + (await ask('elicitation/create', ${form})).content.color))`
      : `${says(`about('input_required', { inputRequests: { q: { method: 'elicitation/create', params: ${form} } } })`)}
         on('tasks/update', ({ inputResponses }) => {
           steps[0] = about('completed', { result: text('chosen ' + inputResponses.q.content.color) })
           return complete()
         })`
    const { call } = await begin(source + question, more)
    const asked: ToolQuestion[] = []
    const ask = async (each: ToolQuestion) => {
      asked.push(each)
      return { action: 'accept' as const, content: { color: 'blue' } }
    }
    expect(await call({ ask })).toMatchObject({ status: 'done', text: 'chosen blue' })
    expect(asked).toMatchObject([{ kind: 'form', message: 'Which?' }])
  })
})

const ATWORK = `
const atWork = ({ _meta }) => send({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1, message: 'at work' } })
`
test('a call that is stopped before it is known to be a task has its task stopped', async () => {
  const { call, stop, heard } = await begin(
    `${NEWER + ATWORK}
     const told = Promise.withResolvers()
     on('notifications/cancelled', told.resolve)
     on('tools/call', async (params) => { atWork(params); await told.promise; return { resultType: 'task', ...about('working') } })
     on('tasks/get', () => complete(cancelled ? about('completed', { result: text('after ' + seen.join()) }) : about('working')))`,
    modern,
  )
  const result = call()
  await heard
  stop.abort()
  expect(await result).toMatchObject({ status: 'done', text: 'after cancel' })
})

test('a call that is refused after it was stopped has failed: it became no task', async () => {
  const go = join(workshop.folder, 'go')
  const { call, stop, heard } = await begin(
    `${OLDER + ATWORK}
     import { existsSync } from 'node:fs'
     on('tools/call', async (params, { id }) => {
       atWork(params)
       while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 5))
       send({ id, error: { code: -32000, message: 'The queue is full' } })
     })`,
    {},
    { grace_ms: 60_000 },
  )
  const result = call()
  await heard
  stop.abort()
  writeFileSync(go, '')
  expect(await result).toMatchObject({ status: 'failed', text: expect.stringContaining('The queue is full') })
})

test('a tool that may be called either way is called plainly, and so is one of a server that has no tasks', async () => {
  const plain = `on('tools/call', ({ task }) => text(task === undefined ? 'plainly' : 'as a task'))`
  const optional = `${OLDER}${plain}\ntools = [tool('a', { execution: { taskSupport: 'optional' } })]`
  expect(await (await begin(optional)).call()).toMatchObject({ text: 'plainly' })
  await closeHosts()
  const none = `tools = [tool('a', { execution: { taskSupport: 'required' } })]\n${plain}`
  expect(await (await begin(none)).call()).toMatchObject({ text: 'plainly' })
})

test('a server is told from 2026 on that tasks are understood', async () => {
  const { call } = await begin(
    `${NEWER}\non('tasks/get', () => complete(about('completed', { result: text(JSON.stringify(capable)) })))`,
    modern,
  )
  expect(await call()).toMatchObject({ text: '{"io.modelcontextprotocol/tasks":{}}' })
})

test('the everything server runs its research as a task', async () => {
  const spec = workshop.file('node_modules/@modelcontextprotocol/server-everything/dist/index.js', { probe: undefined })
  const { host } = await run([spec])
  await host.started('hostile')
  const told: string[] = []
  const result = await host.call(
    toolRequest('hostile', 'simulate-research-query', { topic: 'tides' }),
    new AbortController().signal,
    (text) => told.push(text),
  )
  expect(result).toMatchObject({ status: 'done', text: expect.stringContaining('Research Report: tides') })
  // It is asked at intervals, so that a busy machine may miss some of them.
  const stages = ['Gathering sources...', 'Analyzing content...', 'Synthesizing findings...', 'Generating report...']
  expect(told.filter((one) => stages.includes(one))).not.toEqual([])
})
