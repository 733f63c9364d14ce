import type { DocumentFormat, DocumentLimits, DocumentText } from './parsed-document.ts'

/** Reads the text of a document. Only for the dedicated process: the bytes may be hostile. @throws {DocumentError} */
export async function parseDocument(
  format: DocumentFormat,
  bytes: Buffer,
  limits: DocumentLimits,
): Promise<DocumentText> {
  // Loads only the parser that is needed: loading all of them takes longer than most documents.
  switch (format) {
    case 'pdf':
      return (await import('./pdf-text.ts')).pdfText(bytes, limits)
    case 'docx':
      return (await import('./office/docx-text.ts')).docxText(bytes, limits)
    case 'odt':
    case 'odp':
      return (await import('./office/odf-text.ts')).odfText(bytes, limits)
    case 'pptx':
      return (await import('./office/pptx-text.ts')).pptxText(bytes, limits)
    case 'html':
      return (await import('./read-html.ts')).readHtml(bytes, limits)
    case 'eml':
      return (await import('./eml-text.ts')).emlText(bytes, limits)
    case 'rtf':
      return (await import('./rtf-text.ts')).rtfText(bytes, limits)
  }
}
