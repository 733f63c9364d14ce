/** Whether shortcuts use Command: on Apple keyboards. */
export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)
