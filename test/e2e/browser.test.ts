import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeSerious, openBrowser } from '../stage/browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

test('a real browser paints text, and axe sees what is wrong', async () => {
  // Axe wants a page of a context, not of the browser.
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.setContent('<html lang="en"><title>t</title><main><h1>Привет</h1><img src="data:,"></main></html>')
  const box = await page.locator('h1').boundingBox()
  expect(box?.height).toBeGreaterThan(10)
  expect((await page.screenshot()).byteLength).toBeGreaterThan(1000)
  expect(await axeSerious(page)).toEqual([expect.stringContaining('image-alt')])
})
