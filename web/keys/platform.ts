/** Whether shortcuts are made with Command: Apple's keyboards. */
export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)
