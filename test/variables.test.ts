import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillPrompt, fits, parsePrompt, VARIABLE_NAME_LIMIT, type Variable } from '../contract/variables.ts'

const found = (prompt: string) => parsePrompt(prompt).variables
const text = (name: string): Variable => ({ name, type: 'text', options: [] })
const filled = (prompt: string, values: Record<string, string>) =>
  fillPrompt(parsePrompt(prompt), new Map(Object.entries(values)))

const NAMES = fc.constantFrom('host', 'Имя сервера', '服务器', 'disk_1', 'a-b', '_', '__proto__', 'constructor')
/** Text without a brace: nothing in it can begin or end a variable. */
const PLAIN = fc.string({ unit: 'binary' }).map((each) => each.replaceAll(/[{}]/g, ''))
const OPTION = fc.stringMatching(/^[a-zё0-9|][a-zё0-9 |]{0,5}[a-zё0-9|]$/)
const VARIABLE: fc.Arbitrary<{ variable: Variable; source: string }> = fc.oneof(
  NAMES.map((name) => ({ variable: text(name), source: `{{${name}}}` })),
  fc.tuple(NAMES, fc.constantFrom('number', 'date', 'host')).map(([name, type]) => ({
    variable: { name, type, options: [] },
    source: `{{ ${name} : ${type} }}`,
  })),
  fc.tuple(NAMES, fc.uniqueArray(OPTION, { minLength: 1, maxLength: 4 })).map(([name, options]) => ({
    variable: { name, type: 'choice' as const, options },
    source: `{{${name}:choice(${options.map((each) => each.replaceAll('|', '\\|')).join(' | ')})}}`,
  })),
)

describe('variables of a prompt', () => {
  test('are found with their types, each name once, in their order', () => {
    expect(
      found('Check {{host}} on {{day:date}}, {{count:number}} times, {{mode:choice(fast|slow)}}; {{host}}'),
    ).toEqual([
      text('host'),
      { name: 'day', type: 'date', options: [] },
      { name: 'count', type: 'number', options: [] },
      { name: 'mode', type: 'choice', options: ['fast', 'slow'] },
    ])
    expect(found('{{ имя сервера }}{{服务器}}{{_x-1}}')).toEqual(['имя сервера', '服务器', '_x-1'].map(text))
    expect(found('{{a:choice( x |y\\|z||x)}}')).toEqual([{ name: 'a', type: 'choice', options: ['x', 'y|z'] }])
    expect(found('{{a:choice(f(x)|g)}}')).toEqual([{ name: 'a', type: 'choice', options: ['f(x)', 'g'] }])
  })

  test('have the type that any of their places gives them', () => {
    expect(found('{{n}} {{n:number}} {{n}}')).toEqual([{ name: 'n', type: 'number', options: [] }])
    const { variables, problems } = parsePrompt('{{n:number}} {{n:date}}')
    expect(variables).toEqual([{ name: 'n', type: 'number', options: [] }])
    expect(problems).toEqual([{ code: 'other_type', from: 13, to: 23, name: 'n' }])
  })

  test.each([
    ["docker inspect --format '{{.State.Status}}' {{ .Name }}"],
    ['${{ secrets.KEY }} {{range .Items}} {{ a | upper }}'],
    ['{{}} {{ }} {{1a}} {a} {{-a}} }} {{'],
    ['{"a":{"b":{}}}'],
    ['C:\\Users\\{x}'],
  ])('are not what other templates write: %s', (prompt) => {
    expect(parsePrompt(prompt)).toEqual({ variables: [], pieces: [{ text: prompt }], problems: [] })
  })

  test('stand beside braces, and four braces stand for two', () => {
    expect(filled('{"host":{{host}}} {{{host}}}', { host: 'a' })).toBe('{"host":a} {a}')
    expect(filled('{{{{host}}}} {{host}} {{{{x', { host: 'a' })).toBe('{{host}} a {{{{x')
  })

  test.each([
    ['{{a:numbr}}', { code: 'unknown_type', from: 0, to: 11, name: 'a' }],
    ['x {{a:}}', { code: 'unknown_type', from: 2, to: 8, name: 'a' }],
    ['{{a:number(1)}}', { code: 'unknown_type', from: 0, to: 15, name: 'a' }],
    ['{{a:choice}}', { code: 'no_options', from: 0, to: 12, name: 'a' }],
    ['{{a:choice( | )}}', { code: 'no_options', from: 0, to: 17, name: 'a' }],
    ['say {{host', { code: 'unclosed', from: 4, to: 10, name: 'host' }],
    ['{{a {{.B}}', { code: 'unclosed', from: 0, to: 4, name: 'a' }],
    [`{{${'x'.repeat(41)}}}`, { code: 'name_too_long', from: 0, to: 45, name: 'x'.repeat(41) }],
  ])('that cannot be stay text, and a hint says where: %s', (prompt, problem) => {
    expect(parsePrompt(prompt)).toEqual({ variables: [], pieces: [{ text: prompt }], problems: [problem] })
  })

  test('take values literally, also such as look like variables or patterns', () => {
    expect(filled('{{a}}-{{b}}-{{a}}', { a: '{{b}}', b: '$& $1 \\' })).toBe('{{b}}-$& $1 \\-{{b}}')
    expect(filled('{{a:number}} {{__proto__}}', {})).toBe('{{a}} {{__proto__}}')
  })

  test('may have a name of the longest length', () => {
    const name = '𝔸'.repeat(VARIABLE_NAME_LIMIT)
    expect(found(`{{${name}}}`)).toEqual([text(name)])
  })

  test('say which values fit', () => {
    const typed = (type: Variable['type'], options: string[] = []): Variable => ({ name: 'a', type, options })
    const fitting = (variable: Variable, values: string[]) => values.filter((value) => fits(variable, value))
    expect(fitting(typed('number'), ['1', '-1.5', '.5', '', ' ', '1e5', '0x1', 'NaN', '1,5', '1 '])).toEqual([
      '1',
      '-1.5',
      '.5',
    ])
    expect(fitting(typed('date'), ['2026-02-28', '2026-02-29', '2024-02-29', '2026-13-01', '26-01-01', ''])).toEqual([
      '2026-02-28',
      '2024-02-29',
    ])
    expect(fitting(typed('choice', ['a', 'b']), ['a', 'b', 'c', '', 'a|b'])).toEqual(['a', 'b'])
    expect(fitting(typed('host'), ['web-1', '#web', 'a b', '', '#', '-x', 'web-1,db-1', '#Web'])).toEqual([
      'web-1',
      '#web',
    ])
    expect(fitting(typed('text'), ['a', ' ', ''])).toEqual(['a'])
  })

  test('written between any text are found, and filling puts every value in its place', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(PLAIN, VARIABLE)), PLAIN, fc.string(), (parts, end, value) => {
        const prompt = parts.map(([before, { source }]) => before + source).join('') + end
        const parsed = parsePrompt(prompt)
        const names = [...new Set(parts.map(([, { variable }]) => variable.name))]
        expect(parsed.variables.map(({ name }) => name)).toEqual(names)
        for (const { name, type, options } of parsed.variables) {
          const meant = parts.filter(([, { variable }]) => variable.name === name)
          const typed = meant.find(([, { variable }]) => variable.type !== 'text') ?? meant[0]!
          expect({ name, type, options }).toEqual(typed[1].variable)
        }
        const values = new Map(names.map((name) => [name, value]))
        expect(fillPrompt(parsed, values)).toBe(parts.map(([before]) => before + value).join('') + end)
      }),
    )
  })

  test('in whatever text never throw, and what is no variable comes through unchanged', () => {
    const noise = fc.array(
      fc.constantFrom('{', '{{', '}', '}}', 'a', ':', 'choice(', 'x|', ')', '\\', ' ', '\n', '𝔸', '\ud800'),
    )
    fc.assert(
      fc.property(noise, (pieces) => {
        const prompt = pieces.join('')
        const parsed = parsePrompt(prompt)
        for (const { from, to } of parsed.problems) expect(0 <= from && from < to && to <= prompt.length).toBe(true)
        if (parsed.variables.length === 0 && !prompt.includes('{{{{'))
          expect(fillPrompt(parsed, new Map())).toBe(prompt)
        const used = parsed.pieces.flatMap((piece) => ('variable' in piece ? [piece.variable] : []))
        expect(new Set(used)).toEqual(new Set(parsed.variables.map(({ name }) => name)))
      }),
      { numRuns: 2000 },
    )
  })

  test('are found quickly in the worst of prompts', () => {
    const worst = [
      '{{a:x' + ' '.repeat(19_980) + 'y}}',
      '{{'.repeat(10_000),
      '{{a '.repeat(5000),
      '{{' + 'a '.repeat(9990) + '!',
      '}}{{'.repeat(5000),
    ]
    for (const prompt of worst) {
      const before = performance.now()
      parsePrompt(prompt)
      expect([prompt.slice(0, 10), performance.now() - before < 5000]).toEqual([prompt.slice(0, 10), true])
    }
  })
})
