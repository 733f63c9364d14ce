import { deflateSync } from 'node:zlib'
import { zipBytes, type ZipEntry } from './zip-bytes.ts'

/** A PDF with one line of text for each page; an empty line is a page without text. */
export function pdf(
  lines: readonly string[],
  more: { pages?: number; trailer?: string; content?: Buffer } = {},
): Buffer {
  const kids = lines.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${more.pages ?? lines.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  for (const [i, line] of lines.entries()) {
    const content = more.content ?? deflateSync(`BT /F1 12 Tf 72 720 Td (${line}) Tj ET`)
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      Buffer.concat([
        Buffer.from(`<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    )
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let at = parts[0]!.length
  for (const [i, object] of objects.entries()) {
    offsets.push(at)
    const part = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    parts.push(part)
    at += part.length
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${more.trailer ?? ''} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

/** A PDF whose text nobody reads without its password. */
export function lockedPdf(): Buffer {
  const key = '0'.repeat(64)
  const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>]`
  return pdf(['secret'], { trailer: encrypt })
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function rels(targets: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const all = Object.entries(targets).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.join('')}</Relationships>`
}

/** A Word document with this body (WordprocessingML). */
export function docx(body: string, more: readonly ZipEntry[] = []): Buffer {
  return zipBytes([
    {
      name: '[Content_Types].xml',
      data: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    { name: '_rels/.rels', data: rels({ r1: ['officeDocument', 'word/document.xml'] }) },
    {
      name: 'word/_rels/document.xml.rels',
      data: rels({ s: ['styles', 'styles.xml'], f: ['footnotes', 'footnotes.xml'] }),
    },
    {
      name: 'word/styles.xml',
      data: `<w:styles ${W}><w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>`,
    },
    {
      name: 'word/footnotes.xml',
      data: `<w:footnotes ${W}><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote><w:footnote w:id="1"><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
    },
    { name: 'word/document.xml', data: `<?xml version="1.0"?><w:document ${W}><w:body>${body}</w:body></w:document>` },
    ...more,
  ])
}

export function paragraph(text: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
}

/** `styles`: those of the document itself. */
export function odf(type: 'text' | 'presentation', body: string, more: readonly ZipEntry[] = [], styles = ''): Buffer {
  const names = ['office', 'style', 'text', 'table', 'draw', 'presentation', 'dc']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ')
  return zipBytes([
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${type}`, store: true },
    {
      name: 'content.xml',
      data: `<office:document-content ${names}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${type}>${body}</office:${type}></office:body></office:document-content>`,
    },
    ...more,
  ])
}

/** A presentation; the slides stand in the archive in another order than they are shown. */
export function pptx(
  slides: readonly { readonly shapes: string; readonly notes?: string }[],
  more: readonly ZipEntry[] = [],
): Buffer {
  const names =
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
  const file = (i: number) => slides.length - i
  const entries: ZipEntry[] = [
    { name: '_rels/.rels', data: rels({ r1: ['officeDocument', 'ppt/presentation.xml'] }) },
    {
      name: 'ppt/presentation.xml',
      data: `<p:presentation ${names} xmlns:r="${RELATIONSHIPS}"><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      data: rels(
        Object.fromEntries(slides.map((_, i) => [`rId${i}`, ['slide', `slides/slide${file(i)}.xml`] as const])),
      ),
    },
  ]
  for (const [i, { shapes, notes }] of slides.entries()) {
    entries.push({
      name: `ppt/slides/slide${file(i)}.xml`,
      data: `<p:sld ${names}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    })
    if (notes === undefined) continue
    entries.push(
      {
        name: `ppt/slides/_rels/slide${file(i)}.xml.rels`,
        data: rels({ n: ['notesSlide', `../notesSlides/notesSlide${i}.xml`] }),
      },
      {
        name: `ppt/notesSlides/notesSlide${i}.xml`,
        data: `<p:notes ${names}>${shape(notes)}${shape('7', 'sldNum')}</p:notes>`,
      },
    )
  }
  return zipBytes([...entries, ...more])
}

export function shape(text: string, placeholder = 'body'): string {
  const lines = text.split('\n').map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
  return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.join('')}</p:txBody></p:sp>`
}

/** A workbook; every cell is a text. */
export function xlsx(sheets: Readonly<Record<string, readonly (readonly string[])[]>>): Buffer {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
  const names = Object.keys(sheets)
  return zipBytes([
    {
      name: '[Content_Types].xml',
      data: '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    },
    { name: '_rels/.rels', data: rels({ r1: ['officeDocument', 'xl/workbook.xml'] }) },
    {
      name: 'xl/workbook.xml',
      data: `<workbook ${main} xmlns:r="${RELATIONSHIPS}"><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: rels(
        Object.fromEntries(names.map((_, i) => [`s${i}`, ['worksheet', `worksheets/sheet${i}.xml`] as const])),
      ),
    },
    ...names.map((name, i) => ({
      name: `xl/worksheets/sheet${i}.xml`,
      data: `<worksheet ${main}><sheetData>${sheets[name]!.map((row) => `<row>${row.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`).join('')}</sheetData></worksheet>`,
    })),
  ])
}
