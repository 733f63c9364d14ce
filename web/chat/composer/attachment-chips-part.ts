import { later } from '../../parts/later.ts'

/** The files of the message being written: loaded with the first of them. */
export const attachmentChipsPart = later(() => import('./attachment-chips.tsx'))
