/** Chapters of the guide by the beginning of the address of the pages that they are about; the first one that fits. */
export const HELP_CHAPTERS: readonly (readonly [page: string, chapter: string])[] = [
  ['/chat', 'chat'],
  ['/files', 'files'],
  ['/approvals?view=notices', 'notifications'],
  ['/approvals', 'approvals'],
  ['/routines', 'routines'],
  ['/procedures', 'procedures'],
  ['/watches', 'watches'],
  ['/modules', 'modules'],
  ['/account?tab=notifications', 'notifications'],
  ['/account', 'account'],
  ['/admin/ai', 'engines'],
  ['/admin/audit', 'audit'],
  ['/admin/hosts', 'hosts'],
  ['/admin/notifications', 'administration'],
  ['/admin/runs', 'runs'],
  ['/admin', 'users'],
]

/** The chapter about a page; undefined: the guide begins where it begins. */
export function helpChapter(address: string): string | undefined {
  return HELP_CHAPTERS.find(([page]) => address.startsWith(page))?.[1]
}
