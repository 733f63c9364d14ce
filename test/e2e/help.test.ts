import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../stage/app.ts'
import { openBrowser } from '../stage/browser.ts'
import { pictures } from './pictures.ts'
import { openVisitor, type Visitor } from './visitor.ts'

describe('help', () => {
  let app: TestApp
  let browser: Browser
  let visitor: Visitor
  let page: Page
  beforeAll(async () => {
    app = await startTestApp()
    await app.as('admin')
    await app.as('ann')
    browser = await openBrowser()
    visitor = await openVisitor(browser, app.url)
    page = visitor.page
    await visitor.signIn('admin')
  })
  afterAll(async () => {
    await visitor[Symbol.asyncDispose]()
    await browser.close()
    await app[Symbol.asyncDispose]()
  })
  const chapter = (name: string) => page.getByRole('heading', { level: 2, name, exact: true })

  test('the guide begins with the first steps and leads from chapter to chapter', async () => {
    await page.getByRole('link', { name: 'Help' }).first().click()
    await chapter('First steps').waitFor()
    expect(
      await page
        .getByRole('img', { name: /The chat with a question/ })
        .first()
        .evaluate((image) => (image as HTMLImageElement).decode().then(() => true)),
    ).toBe(true)
    await visitor.expectAccessible()
    await pictures(page, 'help')
    await page.getByRole('link', { name: 'Next Chat and tools' }).click()
    await chapter('Chat and tools').waitFor()
    expect(new URL(page.url()).search).toBe('?chapter=chat')
    await page.getByRole('link', { name: 'your decision' }).click()
    await chapter('Approvals').waitFor()
    expect(page.context().pages()).toHaveLength(1)
    await page.goBack()
    await chapter('Chat and tools').waitFor()
  })

  test('from a page it opens at the chapter about it, from a phone, too', async () => {
    for (const [address, name] of [
      ['/procedures', 'Procedures'],
      ['/watches', 'Watches'],
      ['/approvals?view=notices', 'Notifications'],
      ['/admin/roles', 'Users, roles and rules'],
    ] as const) {
      await page.goto(address)
      await page.getByRole('link', { name: 'Help' }).first().click()
      await chapter(name).waitFor()
    }
    await using phone = await openVisitor(browser, app.url, { phone: true })
    await phone.signIn('ann')
    await phone.page.goto('/routines')
    await phone.page.getByRole('button', { name: /^Account/ }).tap()
    await phone.page.getByRole('menuitem', { name: 'Help' }).tap()
    await phone.page.getByRole('heading', { level: 2, name: 'Routines', exact: true }).waitFor()
    expect(new URL(phone.page.url()).search).toBe('?chapter=routines')
  })

  test('a link to a part shows that part; a chapter that is not there says so', async () => {
    await page.goto('/help?chapter=users#explain')
    const part = page.getByRole('heading', { name: /^Explain access/ })
    await expect.poll(() => part.evaluate((heading) => heading === document.activeElement)).toBe(true)
    expect((await part.boundingBox())!.y).toBeLessThan(400)
    await page.goto('/help?chapter=nothing')
    await page.getByText('This chapter does not exist').waitFor()
    await chapter('First steps').waitFor()
  })

  test('search goes through all chapters, by keyboard, and marks what it found', async () => {
    await page.goto('/help')
    const box = page.getByRole('combobox', { name: 'Search the guide' })
    await box.fill('SIMULATÖR')
    await page.getByRole('option', { name: /Explain access/ }).waitFor()
    expect(await page.getByRole('option').locator('mark').first().textContent()).toBe('simulator')
    await visitor.expectAccessible()
    await box.fill('no such words anywhere')
    await page.getByText('Nothing found').waitFor()
    await box.fill('secret key')
    await page.getByRole('option', { name: /^The secret key/ }).waitFor()
    await box.press('Enter')
    await chapter('Operation').waitFor()
    expect(new URL(page.url()).hash).toBe('#key')
    expect(await box.inputValue()).toBe('')
  })

  test('the reference shows every route, and tries what reads at once', async () => {
    await page.goto('/help/api#accounts_session')
    const route = page.locator('#accounts_session')
    await route.getByRole('heading', { name: 'Try it' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search by path' }).fill('who am i')
    await visitor.expectAccessible()
    await pictures(page, 'help-api')
    await expect.poll(() => route.getByText('curl').textContent()).toContain(`'${app.url}/api/auth/session'`)
    await route.getByRole('button', { name: 'Send' }).click()
    const answer = route.getByRole('region', { name: 'Response' })
    await answer.getByText('200 OK').waitFor()
    expect(await answer.getByLabel('Code', { exact: true }).textContent()).toContain('"username": "admin"')
    await page.getByRole('searchbox', { name: 'Search by path' }).fill('weak_password')
    await expect.poll(() => page.locator('#accounts_setup').count()).toBe(1)
    expect(await page.locator('#accounts_session').count()).toBe(0)
  })

  test('what changes something asks once, with the CSRF token filled in', async () => {
    await page.goto('/help/api#commands_createFolder')
    const route = page.locator('#commands_createFolder')
    const body = route.getByRole('textbox', { name: 'Body as JSON' })
    await body.fill('{"name": ')
    await route.getByText('This is not valid JSON yet.').waitFor()
    await body.fill('{"name": "From the reference"}')
    await route.getByRole('button', { name: 'Send' }).click()
    const asked = page.getByRole('dialog', { name: 'Send this POST request?' })
    await asked.getByText('POST /api/quick-command-folders').waitFor()
    const before = visitor.paths.filter((path) => path === '/api/quick-command-folders').length
    expect(before).toBe(0)
    await asked.getByRole('button', { name: 'Send' }).click()
    const answer = route.getByRole('region', { name: 'Response' })
    await answer.getByText('200 OK').waitFor()
    // The same again is refused, and the refusal is shown as it is.
    visitor.expectMessage(/409/)
    await route.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await answer.getByText('409 Conflict').waitFor()
    expect(await answer.getByLabel('Code', { exact: true }).textContent()).toContain('folder_exists')
  })

  test('a stream is shown while it comes, and can be stopped; what is missing is named', async () => {
    await page.goto('/help/api#chat_activityStream')
    const stream = page.locator('#chat_activityStream')
    await stream.getByRole('button', { name: 'Send' }).click()
    await stream.getByText('event: snapshot').waitFor()
    await stream.getByRole('button', { name: 'Stop' }).click()
    await stream.getByText('The response was cut off here').waitFor()
    await page.goto('/help/api#files_download')
    const file = page.locator('#files_download')
    await file.getByRole('button', { name: 'Send' }).click()
    await file.getByText('Still missing: file_id.').waitFor()
    expect(visitor.paths.filter((path) => path.endsWith('/download'))).toEqual([])
  })

  test('about: version, build, changelog, licences of every library', async () => {
    await page.goto('/help/about')
    await page.getByText('SQLite, in the data folder').waitFor()
    await page.getByText(/Reeve is built with/).click()
    await page.getByRole('searchbox', { name: 'Search by name or licence' }).fill('fastify')
    await page.getByText('fastify', { exact: true }).waitFor()
    await page.getByText('Show licence text').first().click()
    await page.getByText('MIT License').first().waitFor()
    expect(visitor.paths.filter((path) => path === '/licences.json')).toHaveLength(1)
    await page.getByText('Show changelog').click()
    await visitor.expectAccessible()
    await pictures(page, 'help-about')
  })

  test('author: taking part, the kit, and its guide', async () => {
    await page.goto('/help/author')
    await page.getByRole('heading', { name: 'Contribute' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the kit' }).click()
    expect((await readFile(await (await download).path())).subarray(0, 2).toString()).toBe('PK')
    await page.getByText('Writing a module for Reeve').click()
    await page.getByRole('heading', { name: 'The ten steps' }).waitFor()
    await visitor.expectAccessible()
    await pictures(page, 'help-author')
  })

  test('without an authority of its own, the page on certificates says why there is nothing to import', async () => {
    await page.goto('/help/certificates')
    await page.getByText('There is nothing to import').waitFor()
    expect(await page.getByRole('link', { name: 'Download', exact: true }).count()).toBe(0)
    await visitor.expectAccessible()
  })

  test('who is no administrator reads the same, without internals and without asking for the kit', async () => {
    await using ann = await openVisitor(browser, app.url, { phone: true, dark: true })
    await ann.signIn('ann')
    for (const [path, text] of [
      ['/help', 'Three things to know'],
      ['/help/api', '/api/auth/session'],
      ['/help/about', 'Reeve is built with'],
      ['/help/author', 'Writing a module for Reeve'],
      ['/help/certificates', 'There is nothing to import'],
    ] as const) {
      await ann.page.goto(path)
      await ann.page.getByText(text).first().waitFor()
      // A hundred rows of the same make are not a hundred questions.
      if (path === '/help/api') await ann.page.getByRole('searchbox').fill('session')
      await ann.expectAccessible()
      expect([path, await ann.page.evaluate(() => document.querySelector('main')!.scrollWidth <= innerWidth)]).toEqual([
        path,
        true,
      ])
    }
    await ann.page.goto('/help/about')
    await ann.page.getByText('Reeve 0.').waitFor()
    expect(await ann.page.getByText('Commit', { exact: true }).count()).toBe(0)
    await ann.page.goto('/help')
    await ann.page.locator('summary', { hasText: 'Contents' }).click()
    await ann.page.getByRole('link', { name: 'Keyboard' }).click()
    await ann.page.getByRole('heading', { level: 2, name: 'Keyboard' }).waitFor()
  })
})
