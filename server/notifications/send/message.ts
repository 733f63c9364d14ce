/** What is sent, in one language, for all kinds of channels. */
export interface Message {
  /** The same for every attempt: receivers that know it already ignore it. */
  readonly id: string
  /** One line. */
  readonly title: string
  readonly lines: readonly string[]
  /** Where to look or decide; no part of it is a secret. Null: nowhere. */
  readonly link: string | null
  /** For programs. */
  readonly data: MessageData
}

export type MessageData = CardsData | NoticesData

interface CardsData {
  readonly type: 'reeve.approvals_waiting' | 'reeve.test' | 'reeve.code'
  readonly approvals: readonly {
    readonly approval_id: string
    readonly title: string
    readonly tool: string
    readonly effect: string
    readonly asked_by: string
    readonly expires_at: string
    readonly link: string
    readonly summary?: string
  }[]
}

interface NoticesData {
  readonly type: 'reeve.notices'
  readonly notices: readonly {
    readonly notice_id: string
    readonly event: string
    readonly name: string
    readonly by: string | null
    readonly at: string
    readonly link: string
    readonly detail?: Readonly<Record<string, string | number>>
  }[]
}

/** The lines, and where to decide. */
export function textOf({ lines, link }: Message): string {
  return [...lines, ...(link === null ? [] : ['', link])].join('\n')
}
