const paths = {
  map: 'M5 17h5c5 0 4-10 9-10M5 17h14M5 17v.01M19 7v.01',
  list: 'M4 6h16M4 12h16M4 18h10',
  inbox: 'M4 13l2.500-8h11L20 13v6H4zM4 13h5l1 3h4l1-3h5',
  key: 'M15 9a4 4 0 1 0-3.900 4L13 15h2v2h2v2h3v-3l-5-5M11 9h.01',
  people: 'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6M3 19c0-3 3-5 6-5s6 2 6 5M16 5a3 3 0 0 1 0 6M18 14c2 1 3 3 3 5',
  chart: 'M4 20V10M10 20V4M16 20v-7M21 20H3',
  flag: 'M5 21V4h11l-2 4 2 4H5',
  flask: 'M9 3h6M10 3v6l-5 9a2 2 0 0 0 2 3h10a2 2 0 0 0 2-3l-5-9V3M8 15h8',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 19v1',
  shield: 'M12 3l7 3v6c0 5-3.500 8-7 9-3.500-1-7-4-7-9V6z',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l11 7-11 7z',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  history: 'M4 12a8 8 0 1 0 2.500-5.800L4 8.500M4 4v4.500h4.500M12 8v4l3 2',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M20 20l-4-4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M5 19l1-1M18 6l1-1',
  moon: 'M20 14.500A8 8 0 0 1 9.500 4 8 8 0 1 0 20 14.500',
  copy: 'M9 9h11v11H9zM5 15V4h11',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  cross: 'M6 6l12 12M18 6L6 18',
  alert: 'M12 4l9 16H3zM12 10v4M12 17v.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5M12 8v.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  chevron: 'M8 10l4 4 4-4',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  back: 'M19 12H5M11 6l-6 6 6 6',
  webhook:
    'M9.500 8.500a3.500 3.500 0 1 1 5.500 2l2.500 4.500M12 8l-3.500 6.500M17.500 14.500a3 3 0 1 1-2.700 4H8.500M8.500 14.500a3 3 0 1 0 0 5.500',
  link: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  plus: 'M12 5v14M5 12h14',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4 4-6 8-6s8 2 8 6',
  gear: 'M4 7h9M17 7h3M13 4v6M4 17h3M11 17h9M11 14v6',
  exit: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  rocket: 'M12 3c4 2 5 6 4 11l-4 3-4-3C7 9 8 5 12 3M8 13l-3 4 4 .500M16 13l3 4-4 .500M12 9v.01',
} as const
export type IconName = keyof typeof paths

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)
