const KEY = 'reeve.notify'

/** Whether a person wants to be told by this browser, and it may do so. */
export function isNoticeWanted(): boolean {
  return wished() && 'Notification' in window && Notification.permission === 'granted'
}

/** Remembers the wish in this browser; asking for permission needs a click. @returns whether it may tell now */
export async function wishNotice(wanted: boolean): Promise<boolean> {
  try {
    if (wanted) localStorage.setItem(KEY, 'on')
    else localStorage.removeItem(KEY)
  } catch {
    return false
  }
  if (!wanted || !('Notification' in window)) return false
  return (await Notification.requestPermission()) === 'granted' && isNoticeWanted()
}

function wished(): boolean {
  try {
    return localStorage.getItem(KEY) === 'on'
  } catch {
    return false
  }
}
