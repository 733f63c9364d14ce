import { othersApprovalsQuery, pendingApprovalsQuery } from '../client/queries.ts'
import { queryClient } from '../client/query-client.ts'
import { eventText, noticeName } from '../notices/notice-text.ts'
import { unreadNoticesQuery } from '../notices/notices-query.ts'
import { t } from '../text/i18n.ts'
import { isForMe } from './use-pending-approvals.ts'

/**
 * Has the browser tell of a card that has just come, if it waits for the person: who asks and the title of its tool, as a
 * mail would. Several hidden pages show one, because they call it by the card. `open` leads to the card.
 */
export async function showNotice(approvalId: string, others: boolean, open: () => void): Promise<void> {
  const words = await (others ? othersWords(approvalId) : ownWords(approvalId))
  if (words !== null) show(words, approvalId, open)
}

/** The same for a notice: what has happened, and the name. `open` leads to its page. */
export async function tellNotice(noticeId: string, open: (path: string) => void): Promise<void> {
  const { items } = await queryClient.fetchQuery({ ...unreadNoticesQuery, staleTime: 0 })
  const told = items.find(({ notice_id }) => notice_id === noticeId)
  if (told !== undefined) show([eventText(told.event), noticeName(told)], noticeId, () => open(told.path))
}

function show([title, body]: Words, tag: string, open: () => void): void {
  if (document.visibilityState === 'visible') return
  const notice = new Notification(title, { body, tag })
  notice.addEventListener('click', () => {
    window.focus()
    notice.close()
    open()
  })
}

type Words = readonly [title: string, body: string]

async function ownWords(id: string): Promise<Words | null> {
  const { items } = await queryClient.fetchQuery({ ...pendingApprovalsQuery, staleTime: 0 })
  const card = items.find(({ approval_id }) => approval_id === id)
  return card === undefined || !isForMe(card) ? null : [t('notices.own_title'), card.title]
}

async function othersWords(id: string): Promise<Words | null> {
  const { items } = await queryClient.fetchQuery({ ...othersApprovalsQuery, staleTime: 0 })
  const card = items.find(({ approval_id, my_vote }) => approval_id === id && my_vote === null)
  return card === undefined ? null : [t('notices.others_title', { name: card.asked_by.name }), card.title]
}
