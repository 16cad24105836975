import type { ReactNode } from "react";

/** Icons are inline, so that nothing is requested from other hosts. The button around one provides the label. */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

const path = (d: string) => (
  <Icon>
    <path d={d} />
  </Icon>
);

export const MenuIcon = () => path("M4 7h16M4 12h16M4 17h16");
export const CloseIcon = () => path("M6 6l12 12M18 6L6 18");
export const PreviewIcon = () =>
  path(
    "M2.5 12s3.5-6.5 9.5-6.5S21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z",
  );
export const CheckIcon = () => path("M5 12.5l4.5 4.5L19 7.5");
export const PlusIcon = () => path("M12 5v14M5 12h14");
export const GoIcon = () => path("M4 6h10M4 12h7M4 18h5M14 12h6M17 9l3 3-3 3");
export const SendIcon = () => path("M5 12h13M12 5l7 7-7 7");
export const BackIcon = () => path("M19 12H5M11 6l-6 6 6 6");
export const DownIcon = () => path("M12 5v14M6 13l6 6 6-6");
export const BellIcon = () => path("M6 16.500V11a6 6 0 0 1 12 0v5.500M4.500 16.500h15M10 19.500h4");
export const MutedIcon = () =>
  path("M6.500 16.500h9M18 14v-4a6 6 0 0 0-9.500-4.900M6.200 8.500 6 14l-1.500 2.500M10 19.500h4M4 4l16 16");
export const ChevronIcon = () => path("M9 6l6 6-6 6");
export const ReplyIcon = () => path("M9 7L4 12l5 5M4 12h9a7 7 0 0 1 7 7");
export const ThreadIcon = () => path("M4 5h16v11h-9l-4 4v-4H4zM8 9h8M8 12h5");
export const EditIcon = () => path("M4 20h4L19 9l-4-4L4 16zM13 7l4 4");
export const TrashIcon = () => path("M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13");
export const PinIcon = () => path("M9 4h6l-1 6 3 3H7l3-3zM12 13v7");
export const LockIcon = () => path("M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3");
export const PacketIcon = () => path("M6 3h12v18H6zM6 8c3.500 3 8.500 3 12 0M12 10v3");
export const SmileIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M8.500 14.200a4.200 4.200 0 0 0 7 0M9 9.800h.01M15 9.800h.01" />
  </Icon>
);
export const StickerIcon = () => path("M5 5h14v9l-5 5H5zM14 19v-5h5M9 10h.01M13 10h.01M9 13.500a3 3 0 0 0 3 .5");
export const AttachIcon = () =>
  path(
    "M19.500 11.500l-7.800 7.800a4.600 4.600 0 0 1-6.500-6.500l8.300-8.300a3 3 0 0 1 4.300 4.300l-8.200 8.200a1.500 1.500 0 0 1-2.100-2.100l7.500-7.500",
  );
export const FilesIcon = () => path("M4 6.500h6l2 2.500h8v10H4zM4 9h8");
export const FileIcon = () => path("M7 3h7l4 4v14H7zM14 3v4h4");
export const SoundIcon = () =>
  path(
    "M9 17.500V5l10-2v12.500M9 17.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM19 15.500a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0z",
  );
export const PlayIcon = () => path("M8 5l11 7-11 7z");
export const DownloadIcon = () => path("M12 4v11M7 11l5 5 5-5M5 20h14");
export const ClockIcon = () => path("M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM12 8v4.500l3 2");
export const RetryIcon = () => path("M19 12a7 7 0 1 1-2.100-5M19 4v4h-4");
export const LinkIcon = () =>
  path("M10 14a4 4 0 0 0 5.700 0l3-3A4 4 0 0 0 13 5.300l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3A4 4 0 0 0 11 18.700l1-1");
export const MinusIcon = () => path("M5 12h14");
export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="6.500" />
    <path d="M16 16l4 4" />
  </Icon>
);
export const PeopleIcon = () => (
  <Icon>
    <circle cx="9" cy="9" r="3.500" />
    <path d="M2.500 20a6.500 6.500 0 0 1 13 0M16 5.800a3.500 3.500 0 0 1 0 6.400M18 14.500a6.500 6.500 0 0 1 3.500 5.500" />
  </Icon>
);
export const GearIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="3" />
    <path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.200 2.200M16.200 16.200l2.200 2.200M18.400 5.600l-2.200 2.200M7.800 16.200l-2.200 2.200" />
  </Icon>
);
export const MoreIcon = () => (
  <Icon>
    <circle className="dot" cx="5" cy="12" r="1" />
    <circle className="dot" cx="12" cy="12" r="1" />
    <circle className="dot" cx="19" cy="12" r="1" />
  </Icon>
);
export const LikeIcon = () =>
  path("M7 11v9H4v-9zM7 11l4-8a2.500 2.500 0 0 1 2.500 2.500V9h5a2 2 0 0 1 2 2.300l-1.200 7A2 2 0 0 1 17.300 20H7");
