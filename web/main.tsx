import './styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'

const RELOADED_AT = 'reeve.reloaded_at'
// A page that was open during an upgrade asks for parts that are gone: the new page has its own. Once, not in a circle.
window.addEventListener('vite:preloadError', () => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < 10_000) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
