import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { ChainHead } from '../../../domain/tenant/audit-chain'
import { askFile } from '../../data/api'
import { saveFile } from '../../data/download'
import { grouped } from '../../data/format'
import { useRead } from '../../data/use-read'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { showToast } from '../../ui/toast'

/** Saves the whole log as a file. */
export function AuditExport() {
  const [isBusy, setBusy] = useState(false)
  const save = (format: 'csv' | 'jsonl') => {
    setBusy(true)
    askFile(`/operator/audit/export?format=${format}`)
      .then((file) => saveFile(`audit.${format}`, file))
      .catch((error: Error) => showToast(error.message, 'bad'))
      .finally(() => setBusy(false))
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="sm" loading={isBusy}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save('csv')}>As CSV, for a spreadsheet</Menu.Item>
        <Menu.Item onClick={() => save('jsonl')}>As JSON lines, which can be checked</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** The end of the chain. A later check with it detects removed entries. */
export function AuditHead() {
  const { data: head } = useRead<ChainHead>(['audit-head'], '/audit/head')
  if (!head || head.seq === 0) return null
  const text = `${head.seq}:${head.hash}`
  return (
    <p className="sub">
      Head of the chain: entry {grouped(head.seq)}, <Hash value={head.hash} kind="hash" />{' '}
      <Copy value={text} what="the head of the chain" /> Store it elsewhere:{' '}
      <span className="mono nowrap">npx switchyard audit verify --head</span> then detects changed or removed entries.
    </p>
  )
}
