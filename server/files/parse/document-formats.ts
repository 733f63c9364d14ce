import type { DocumentFormat } from './parsed-document.ts'

const BY_EXTENSION: Readonly<Record<string, DocumentFormat>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  dotx: 'docx',
  dotm: 'docx',
  odt: 'odt',
  ott: 'odt',
  odp: 'odp',
  otp: 'odp',
  pptx: 'pptx',
  pptm: 'pptx',
  ppsx: 'pptx',
  potx: 'pptx',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  eml: 'eml',
  rtf: 'rtf',
}
const PDF = '%PDF-'

/**
 * How a stored file is read as a document: by its name, and for a PDF also by its first bytes. Null when it isn't one.
 */
export function documentFormat(extension: string, head: Uint8Array): DocumentFormat | null {
  if (Buffer.from(head).toString('latin1', 0, PDF.length) === PDF) return 'pdf'
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : null
}
