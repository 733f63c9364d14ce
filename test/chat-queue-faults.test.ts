import { describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { begin, lastAnswer } from './stage/chat-stage.ts'
import { startProcess } from './stage/process.ts'
import { atRest, queue, queueOf, textsOf } from './stage/chat/queue-stage.ts'
import { databases } from './stage/servers/postgres.ts'
import { gate, startScriptedModel } from './stage/servers/scripted-model.ts'
import { until } from './stage/wait.ts'

describe.each(databases)('queued messages are sent exactly once ($name)', (database) => {
  test('however many try at once, each is sent once', async () => {
    const held = gate()
    await using model = await startScriptedModel([[{ wait: held }], [{ text: 'One.' }]])
    await using service = await startTestApp({ database, model })
    const client = await service.as('admin')
    const { conversation_id } = await begin(client, 'Begin')
    await held.reached
    const { queued_id } = await queue(client, conversation_id, 'One')
    const params = { conversation_id, queued_id }
    await client.call(contract.chat.cancel, { body: { conversation_id } })
    held.open()
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => client.call(contract.chat.sendQueued, { params })),
    )
    await atRest(client, conversation_id)
    expect(tries.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    expect((await textsOf(client, conversation_id)).filter((text) => text === 'user: One')).toHaveLength(1)
  })

  test('what the end of a run could not send, the next look sends', async () => {
    let broken = false
    const held = gate()
    await using model = await startScriptedModel([[{ wait: held }, { text: 'First.' }], [{ text: 'Second.' }]])
    await using service = await startTestApp({
      database,
      model,
      observe: (statement) => {
        if (broken && statement.startsWith('delete from "queued_message"')) throw new Error('a fault of the test')
      },
    })
    const client = await service.as('admin')
    const { conversation_id } = await begin(client, 'Begin')
    await held.reached
    await queue(client, conversation_id, 'Next')
    broken = true
    held.open()
    await until(async () => (await lastAnswer(client, conversation_id)).status === 'complete')
    await expect(service.app.chat.queueSender.sendNext(conversation_id)).rejects.toThrow('a fault of the test')
    expect(await queueOf(client, conversation_id)).toMatchObject([{ held: false }])
    broken = false
    await Promise.all([service.app.chat.queueSender.sweep(), service.app.chat.queueSender.sweep()])
    await atRest(client, conversation_id)
    expect(await textsOf(client, conversation_id)).toEqual([
      'user: Begin',
      'assistant: First.',
      'user: Next',
      'assistant: Second.',
    ])
  })

  test('a service that ends between the end of the run and the sending sends after its next start', async () => {
    const held = gate()
    await using model = await startScriptedModel([[{ wait: held }, { text: 'First.' }], [{ text: 'Second.' }]])
    await using service = await startProcess({ database, model })
    const client = await service.as('admin')
    const { conversation_id } = await begin(client, 'Begin')
    await held.reached
    await queue(client, conversation_id, 'Next')
    const ended = service.kill('SIGTERM')
    await until(() => service.log.some(({ msg }) => msg === 'stopping'), { what: 'it has begun to stop' })
    held.open()
    await ended
    expect(model.requests).toHaveLength(1)
    await service.restart()
    await atRest(client, conversation_id)
    expect((await textsOf(client, conversation_id)).slice(1)).toEqual([
      'assistant: First.',
      'user: Next',
      'assistant: Second.',
    ])
  })
})
