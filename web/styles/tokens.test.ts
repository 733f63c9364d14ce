/// <reference types="node" />
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')

function tokens(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`)
  const block = css.slice(start, css.indexOf('}', start))
  return new Map([...block.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map((match) => [match[1] ?? '', match[2] ?? '']))
}

/** WCAG relative luminance of an opaque oklch() colour. */
function luminance(colour: string): number {
  const [l = 0, c = 0, h = 0] = (/oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)/.exec(colour) ?? []).slice(1).map(Number)
  const a = c * Math.cos((h * Math.PI) / 180)
  const b = c * Math.sin((h * Math.PI) / 180)
  const [x, y, z] = [
    (l / 100 + 0.3963377774 * a + 0.2158037573 * b) ** 3,
    (l / 100 - 0.1055613458 * a - 0.0638541728 * b) ** 3,
    (l / 100 - 0.0894841775 * a - 1.291485548 * b) ** 3,
  ] as const
  const clip = (value: number): number => Math.min(1, Math.max(0, value))
  const red = clip(4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z)
  const green = clip(-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z)
  const blue = clip(-0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((p, q) => p - q) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const themes = { light: tokens(':root'), dark: tokens(":root[data-theme='dark']") }

test('a dark system without a choice gets exactly the dark theme', () => {
  expect(tokens(":root:not([data-theme='light'])")).toEqual(themes.dark)
})

test.each(['light', 'dark'] as const)('%s: text is readable on every ground it may stand on', (name) => {
  const theme = themes[name]
  const get = (token: string): string => theme.get(`--${token}`) ?? ''
  const pairs: [string, string, number][] = []
  for (const ground of ['canvas', 'surface', 'raised', 'sunken', 'hover']) {
    for (const text of ['ink', 'muted', 'accent']) pairs.push([text, ground, 4.5])
    for (const text of ['ok', 'warn', 'danger', 'info']) if (ground !== 'hover') pairs.push([text, ground, 4.5])
  }
  for (const tone of ['accent', 'ok', 'warn', 'danger', 'info'])
    pairs.push([tone, `${tone}-soft`, 4.5], ['ink', `${tone}-soft`, 4.5])
  for (const fill of ['accent', 'accent-hover']) pairs.push(['on-accent', fill, 4.5])
  for (const fill of ['danger', 'danger-hover']) pairs.push(['on-danger', fill, 4.5])
  for (const ground of ['canvas', 'surface', 'sunken']) pairs.push(['focus', ground, 3], ['line-strong', ground, 3])
  const poor = pairs.filter(([text, ground, least]) => contrast(get(text), get(ground)) < least)
  expect(poor.map(([text, ground]) => `${text} on ${ground}: ${contrast(get(text), get(ground)).toFixed(2)}`)).toEqual(
    [],
  )
})
