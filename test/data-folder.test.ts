import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../server/app/app.ts'
import { readConfig } from '../server/app/config.ts'
import { testEnvironment } from './stage/app.ts'
import { startProcess } from './stage/process.ts'

test('an embedded database belongs to one process, until that ends, however it ends', async () => {
  await using first = await startProcess()
  const env = await testEnvironment(first.dataFolder, {})
  const config = readConfig({ REEVE_LOG_LEVEL: 'silent', ...env })
  const before = await readFile(join(first.dataFolder, 'secret.key'), 'utf8')
  await expect(startApp(config)).rejects.toThrow(/Another Reeve is running on the data folder/)
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
  await first.kill('SIGKILL')
  await using second = await startApp(config)
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200)
  expect(await readFile(join(first.dataFolder, 'secret.key'), 'utf8')).toBe(before)
})
