import { later } from '../../../parts/later.ts'

/** The list of tools, and the form and the hints for their arguments: loaded while the page is idle. */
export const toolsPart = later(async () => (await import('./tool-parts.ts')).toolParts)
