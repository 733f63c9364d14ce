import { expect, test } from 'vitest'
import { chartText } from '../server/files/parse/office/chart-text.ts'
import { parseDocument } from '../server/files/parse/parse-document.ts'
import type { DocumentFormat } from '../server/files/parse/parsed-document.ts'
import { docx, odf, paragraph, pptx, shape } from './stage/documents/document-samples.ts'
import { zipBytes } from './stage/documents/zip-bytes.ts'

const read = (format: DocumentFormat, content: Buffer) =>
  parseDocument(format, content, { characters: 100_000, soft_ms: 60_000 })

test('a PDF tells what was filled into its form and written beside its text', async () => {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R 7 0 R] >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> /Annots [6 0 R 7 0 R 8 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Length 39 >>\nstream\nBT /F1 12 Tf 72 720 Td (Printed) Tj ET \nendstream',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ann Lee) /Rect [0 0 9 9] /P 3 0 R >>',
    '<< /Type /Annot /Subtype /Widget /FT /Tx /Ff 8192 /T (pin) /V (1234) /Rect [0 0 9 9] /P 3 0 R >>',
    '<< /Type /Annot /Subtype /Text /Contents (Please check) /Rect [0 0 9 9] /P 3 0 R >>',
  ]
  let file = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const at = file.length
    file += `${i + 1} 0 obj\n${object}\nendobj\n`
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  const { text } = await read('pdf', Buffer.from(file, 'latin1'))
  expect(text).toBe('[Page 1]\nPrinted\n[Comment: Please check]\n[Field name: Ann Lee]')
})

test('lists of a Word document are numbered as they show', async () => {
  const level = (at: number, format: string, text: string, start = 1): string =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
  const numbering = `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.', 3)}${level(1, 'lowerLetter', '%1.%2)')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, 'bullet', 'o')}</w:abstractNum><w:num w:numId="7"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="8"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
  const item = (text: string, list: number, depth: number): string =>
    paragraph(text, `<w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="${list}"/></w:numPr>`)
  const body = [
    item('one', 7, 0),
    item('deep', 7, 1),
    item('deeper', 7, 1),
    item('two', 7, 0),
    item('again', 7, 1),
    item('dot', 8, 0),
  ]
  const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const rels = `<Relationships><Relationship Id="n" Type="${types}/numbering" Target="numbering.xml"/></Relationships>`
  const file = zipBytes([
    { name: 'word/_rels/document.xml.rels', data: rels },
    { name: 'word/numbering.xml', data: numbering },
    { name: 'word/document.xml', data: `<w:document xmlns:w="w"><w:body>${body.join('')}</w:body></w:document>` },
  ])
  expect((await read('docx', file)).text).toBe('3. one\n3.a) deep\n3.b) deeper\n4. two\n4.a) again\n- dot')
  expect((await read('docx', docx(item('plain', 1, 0)))).text).toMatch(/^- plain\n/)
})

test('lists of an OpenDocument text are numbered as they show', async () => {
  const level = (at: number, attributes: string): string =>
    `<text:list-level-style-number text:level="${at}" ${attributes}/>`
  const styles = `<text:list-style style:name="L1">${level(1, 'style:num-format="1" style:num-suffix="." text:start-value="3"')}${level(2, 'style:num-format="a" style:num-suffix=")" text:display-levels="2"')}</text:list-style><text:list-style style:name="L2"><text:list-level-style-bullet text:level="1" text:bullet-char="o"/></text:list-style>`
  const shared = `<text:list-style style:name="Roman">${level(1, 'style:num-format="I" style:num-prefix="(" style:num-suffix=")"')}</text:list-style><text:list-style style:name="New">${level(1, 'style:num-format="i" loext:num-list-format="§%1%:"')}</text:list-style>`
  const item = (content: string, attributes = ''): string => `<text:list-item${attributes}>${content}</text:list-item>`
  const p = (text: string): string => `<text:p>${text}</text:p>`
  const list = (content: string, attributes = ''): string => `<text:list${attributes}>${content}</text:list>`
  const of = (style: string, more = ''): string => ` text:style-name="${style}"${more}`
  const body = [
    list(
      item(p('one') + p('goes on') + list(item(p('deep')) + item(p('deeper')))) +
        item(p('two') + list(item(p('again')))),
      of('L1', ' xml:id="first"'),
    ),
    p('between'),
    list(item(list(item(p('more')))) + item(p('three')), of('L1', ' text:continue-numbering="true"')),
    list(item(p('anew')), of('L1')),
    list(item(p('four')) + item(p('nine'), ' text:start-value="9"'), of('L1', ' text:continue-list="first"')),
    list(`<text:list-header>${p('head')}</text:list-header>${item(p('i'))}${item(p('ii'))}`, of('Roman')),
    list(item(p('dot')), of('L2')),
    list(item('<text:h text:outline-level="2">Chapter</text:h>'), of('New')),
  ]
  const more = [{ name: 'styles.xml', data: `<office:document-styles>${shared}</office:document-styles>` }]
  expect((await read('odt', odf('text', body.join(''), more, styles))).text).toBe(
    [
      '3. one\n  goes on\n  3.a) deep\n  3.b) deeper\n4. two\n  4.a) again\nbetween',
      '  4.b) more\n5. three\n3. anew\n6. four\n9. nine',
      '  head\n(I) i\n(II) ii\n- dot\n\n## §i: Chapter',
    ].join('\n'),
  )
  const slide = `<draw:page>${list(item(p('a')), of('L1'))}${list(item(p('b')), of('L1'))}</draw:page>`
  expect((await read('odp', odf('presentation', slide, [], styles))).text).toBe('[Slide 1]\n- a\n- b')
})

test('charts and diagrams of a presentation', async () => {
  const points = (tag: string, values: string[]): string =>
    `<c:${tag}><c:numRef><c:f>Sheet1!A1</c:f><c:numCache>${values.map((v) => `<c:pt><c:v>${v}</c:v></c:pt>`).join('')}</c:numCache></c:numRef></c:${tag}>`
  const chart = `<c:chartSpace><c:chart><c:title><c:tx><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:tx></c:title><c:ser>${points('tx', ['North'])}${points('cat', ['Q1', 'Q2'])}${points('val', ['10', '12.5'])}</c:ser></c:chart></c:chartSpace>`
  expect(chartText(Buffer.from(chart))).toBe('Chart: Sales\nNorth: Q1 = 10, Q2 = 12.5')
  const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const diagram =
    '<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Build</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>'
  const file = pptx(
    [{ shapes: shape('Title') }],
    [
      {
        name: 'ppt/slides/_rels/slide1.xml.rels',
        data: `<Relationships><Relationship Id="c" Type="${types}/chart" Target="../charts/chart1.xml"/><Relationship Id="d" Type="${types}/diagramData" Target="../diagrams/data1.xml"/></Relationships>`,
      },
      { name: 'ppt/charts/chart1.xml', data: chart },
      { name: 'ppt/diagrams/data1.xml', data: diagram },
    ],
  )
  expect((await read('pptx', file)).text).toBe('[Slide 1]\nTitle\nChart: Sales\nNorth: Q1 = 10, Q2 = 12.5\nPlan\nBuild')
})
