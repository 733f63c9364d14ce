import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../contract/index.ts'
import { recordAttempt } from '../../server/operation/backup/backup-attempt.ts'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { say } from '../stage/chat-stage.ts'
import { startScriptedModel, type ScriptedModel } from '../stage/servers/scripted-model.ts'
import { pictures } from './pictures.ts'
import { until } from '../stage/wait.ts'
import { messageBox, openVisitor } from './visitor.ts'

describe('the dashboard', () => {
  let app: TestApp
  let model: ScriptedModel
  let browser: Browser
  beforeAll(async () => {
    model = await startScriptedModel(() => [
      { text: 'Fine.' },
      { usage: { prompt_tokens: 900, completion_tokens: 60 } },
    ])
    app = await startTestApp({ model, env: { REEVE_AI_PRICE_INPUT: '2', REEVE_AI_PRICE_OUTPUT: '8' } })
    for (const name of ['admin', 'ann']) await say(await app.as(name), `Hello from ${name}`)
    // A day on this machine.
    const minute = Date.now() - (Date.now() % 60_000)
    const rows = Array.from({ length: 1380 }, (_, i) => ({
      minute: minute - (i + 1) * 60_000,
      cpu: 0.25 + 0.2 * Math.sin(i / 90) + 0.08 * Math.sin(i / 7),
      memory: 0.45 + 0.05 * Math.sin(i / 200),
      disk: 0.71 - i / 40_000,
      failed_services: null,
      runs: i % 300 < 20 ? 2 : 0,
    }))
    await app.app.db.transaction((trx) =>
      trx
        .insertInto('sample')
        .values(rows.slice(0, 700))
        .onConflict((found) => found.doNothing())
        .execute(),
    )
    await app.app.db.transaction((trx) =>
      trx
        .insertInto('sample')
        .values(rows.slice(700))
        .onConflict((found) => found.doNothing())
        .execute(),
    )
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await app[Symbol.asyncDispose]()
    await model.close()
  })

  test('shows an administrator how things stand, with the way to each fix', async () => {
    await using visitor = await openVisitor(browser, app.url)
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    const { page } = visitor
    const strip = page.getByRole('region', { name: 'This machine' })
    await strip.getByRole('button', { name: /^CPU/ }).waitFor()
    await strip.getByText(/free on/).waitFor()
    await page.getByRole('region', { name: 'Needs you' }).waitFor()
    await visitor.expectAccessible()
    // One screen.
    expect(await page.evaluate(() => document.querySelector('main')!.scrollHeight)).toBeLessThanOrEqual(800)
    await pictures(page, 'dashboard')
    await page.getByText('AI usage and storage').click()
    await page
      .getByRole('region', { name: 'Storage' })
      .getByText(/ free$/)
      .waitFor()
    await page.getByRole('img', { name: 'Tokens per day, last 30 days' }).waitFor()
    await page.getByText('1,920', { exact: true }).waitFor()
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Cost' }).click()
    await page.getByRole('img', { name: 'Cost per day, last 30 days' }).waitFor()
    await strip.getByRole('button', { name: /^Memory/ }).click()
    await page.waitForURL(/\/chat/)
    await page.getByRole('button', { name: 'Remove Memory.txt' }).waitFor()
    expect(await messageBox(page).inputValue()).toBe('')
    const { items } = await (await app.signIn('admin')).call(contract.files.list, { query: {} })
    const attached = await page.request.get(`/api/files/${items[0]!.file_id}/download`)
    // The figure, and a line for each quarter of an hour of the last day.
    expect((await attached.text()).trim().split('\n')).toHaveLength(5 + 96)
    await visitor.expectAccessible()
    await page.getByRole('button', { name: 'Remove Memory.txt' }).click()
    await page.goto('/')
    await page.getByRole('link', { name: 'All active runs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/admin/runs')
  })

  test('shows everybody else their own use, and nothing of the house', async () => {
    await using visitor = await openVisitor(browser, app.url, { phone: true })
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('ann')
    const { page } = visitor
    await page.getByText('My AI usage').first().click()
    await page.getByText('960', { exact: true }).waitFor()
    for (const name of ['Storage', 'This machine'])
      expect([name, await page.getByRole('region', { name }).count()]).toEqual([name, 0])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await visitor.expectAccessible()
  })

  test('names the services that have failed, and when and why a backup did', async () => {
    // What systemctl of Debian 12 answers.
    const folder = await mkdtemp(join(tmpdir(), 'reeve-systemctl-'))
    const lines =
      'nginx.service loaded failed failed A high performance web server\nsmartd.service loaded failed failed -'
    await writeFile(join(folder, 'systemctl'), `#!/bin/sh\necho '${lines}'\n`, { mode: 0o755 })
    const path = process.env['PATH']
    process.env['PATH'] = `${folder}:${path}`
    try {
      await using house = await startTestApp()
      const minute = Date.now() - (Date.now() % 60_000)
      const rows = Array.from({ length: 90 }, (_, i) => ({
        minute: minute - i * 15 * 60_000,
        cpu: 0.2,
        memory: 0.5,
        disk: 0.7,
        failed_services: i < 12 ? 2 : i < 40 ? 1 : 0,
        runs: 0,
      }))
      await house.app.db.transaction((trx) =>
        trx
          .insertInto('sample')
          .values(rows)
          .onConflict((found) => found.doNothing())
          .execute(),
      )
      await recordAttempt(house.app.db, house.dataFolder, () => mkdir('/sys/reeve-backups')).catch(() => undefined)
      await house.as('admin')
      await using visitor = await openVisitor(browser, house.url)
      visitor.expectMessage(/\/api\/auth\/session\b/)
      await visitor.signIn('admin')
      const { page } = visitor
      const strip = page.getByRole('region', { name: 'This machine' })
      await strip.getByRole('button', { name: /^Failed services\s*2/ }).waitFor()
      await strip.getByRole('link', { name: /^Last backup\s*Never\s*Failed now/ }).waitFor()
      const needs = page.getByRole('region', { name: 'Needs you' })
      await needs.getByText(/^The backup on .* failed$/).waitFor()
      await needs.getByText('It could not be written to its folder.').waitFor()
      await needs.getByText(/mkdir '\/sys\/reeve-backups'/).waitFor()
      await visitor.expectAccessible()
      await pictures(page, 'dashboard-trouble')
      await strip.getByRole('button', { name: /^Failed services/ }).click()
      await page.waitForURL(/\/chat/)
      await expect.poll(() => messageBox(page).inputValue()).toBe('/system.services state=failed')
    } finally {
      process.env['PATH'] = path
      await rm(folder, { recursive: true })
    }
  })

  test('without an engine a click types the tool that answers', async () => {
    await using plain = await startTestApp()
    await plain.as('admin')
    await using visitor = await openVisitor(browser, plain.url, { phone: true, dark: true })
    visitor.expectMessage(/\/api\/auth\/session\b/)
    await visitor.signIn('admin')
    const { page } = visitor
    const strip = page.getByRole('region', { name: 'This machine' })
    await strip.getByRole('link', { name: /^AI engine/ }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await visitor.expectAccessible()
    await strip.getByRole('button', { name: /^Fullest disk/ }).click()
    await page.waitForURL(/\/chat/)
    await until(async () => (await messageBox(page).inputValue()) === '/system.disks ')
  })
})
