import { createRequire } from 'node:module'

/** SheetJS, which writes and reads what nobody here made. Its module for bundlers is not the one that Node loads, so it is required. */
export const xlsx = createRequire(import.meta.url)('xlsx') as typeof import('xlsx')
