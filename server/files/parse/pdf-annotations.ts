/** The part of pdf.js's description of an annotation that is used here. */
interface Annotation {
  readonly subtype?: string
  readonly fieldName?: string
  readonly fieldValue?: unknown
  readonly checkBox?: boolean
  readonly radioButton?: boolean
  readonly password?: boolean
  readonly contentsObj?: { readonly str?: string }
}

const LIMIT = 500

/** The values of a page's form fields and the comments beside its text, one per line. */
export function annotationLines(annotations: readonly unknown[]): string[] {
  const lines: string[] = []
  for (const annotation of annotations.slice(0, LIMIT) as readonly Annotation[]) {
    const { subtype, fieldName = '', fieldValue, contentsObj } = annotation
    if (subtype === 'Widget') {
      const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : fieldValue
      if (annotation.password === true || typeof value !== 'string' || value === '') continue
      // The value of a button that isn't pressed.
      if ((annotation.checkBox === true || annotation.radioButton === true) && value === 'Off') continue
      lines.push(`[Field ${fieldName}: ${value}]`)
    } else if (subtype !== 'Link' && subtype !== 'Popup') {
      const text = contentsObj?.str?.trim() ?? ''
      if (text !== '') lines.push(`[Comment: ${text}]`)
    }
  }
  return [...new Set(lines)]
}
