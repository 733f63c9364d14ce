import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { startTestApp } from './stage/app.ts'
import { databases } from './stage/servers/postgres.ts'
import { startScriptedModel } from './stage/servers/scripted-model.ts'

describe.each(databases)('statements of a turn on $name', (database) => {
  test('x', async () => {
    let seen: string[] = []
    await using model = await startScriptedModel(() => [{ text: 'Hello ' }, { text: 'there.' }])
    await using app = await startTestApp({ database, model, observe: (s) => seen.push(s) })
    const admin = await app.as('admin')
    const first = await admin.call(contract.chat.send, { body: { message: 'hello', conversation_id: null } })
    seen = []
    const a = await admin.call(contract.chat.send, { body: { message: 'hello', conversation_id: null } })
    const one = seen
    seen = []
    await admin.call(contract.chat.send, { body: { message: 'hello again', conversation_id: (a.body as any).conversation_id } })
    writeFileSync(`/tmp/rv/turn-seen-${database.name}.txt`, one.map((x, i) => `${i + 1} ${x}`).join('\n') + '\n\n=====\n' + seen.map((x, i) => `${i + 1} ${x}`).join('\n'))
  })
})
