import { later } from '../../parts/later.ts'

/** The rules with conditions and their form: loaded when first opened. */
export const rulesDialogPart = later(() => import('./rules-dialog.tsx'))
