import { DepositCard } from '@switchyard/react'
import { createRoot } from 'react-dom/client'
import '@switchyard/react/style.css'

const root = document.getElementById('card')
createRoot(root).render(<DepositCard userId={root.dataset.userId} />)
