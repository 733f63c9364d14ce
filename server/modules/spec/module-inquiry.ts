import type { ChosenResource, Completing, OfferedResources, ReadResource } from '../../chat/ports/offers.ts'

/** What people ask of a module beside calls, by kind; about and answer as JSON, because another process may answer. */
export interface Inquiries {
  readonly prompt: {
    readonly about: { readonly prompt: string; readonly args: Readonly<Record<string, string>> }
    readonly answer: string
  }
  readonly resources: { readonly about: null; readonly answer: OfferedResources }
  readonly read: { readonly about: ChosenResource; readonly answer: ReadResource }
  readonly complete: { readonly about: Completing; readonly answer: readonly string[] }
}

export type InquiryKind = keyof Inquiries
export const INQUIRY_KINDS: readonly InquiryKind[] = ['prompt', 'resources', 'read', 'complete']
/** One that is not answered here, but where the module runs. */
export type Inquire<More extends unknown[] = []> = <K extends InquiryKind>(
  ...args: [...More, kind: K, about: Inquiries[K]['about'], signal?: AbortSignal]
) => Promise<Inquiries[K]['answer']>
