import { char, type FrameKind, type Protocol, text } from "./protocol.ts";

/** The domain of the servers under test, and their rooms'. */
export const XMPP_DOMAIN = "localhost";
export const XMPP_ROOMS = "conference.localhost";

const FRAMING = "urn:ietf:params:xml:ns:xmpp-framing";
const open = text(`<open xmlns="${FRAMING}" to="${XMPP_DOMAIN}" version="1.0"/>`);
const anonymous = text(`<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="ANONYMOUS"/>`);
const bind = text(`<iq xmlns="jabber:client" type="set" id="b"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>`);

const F = char("f");
const I = char("i");
const M = char("m");
const P = char("p");
const S = char("s");

/** A frame is one stanza (RFC 7395, 3.3.3), known by its name's beginning. */
function kindOf(bytes: Uint8Array, start: number): FrameKind {
  const first = bytes[start + 1];
  if (first === M) return "delivery";
  // The answer to the binding of a resource.
  if (first === I) return "ready";
  // `<failure`.
  if (first === F) return "error";
  if (first === P) return "list";
  if (first !== S) return "other";
  // `<success` and `<stream:features` ask for the next part, `<stream:error` ends the stream.
  return bytes[start + 2] === char("u") || bytes[start + 8] === F ? "next" : "error";
}

/**
 * XMPP over WebSocket (RFC 7395) with anonymous logins, and rooms (XEP-0045). A room sends a message to its sender, too.
 * After a join, a room sends the presence of all who are in it, and then its subject as a message.
 */
export const xmpp: Protocol = {
  path: "/xmpp-websocket",
  headers: ["Sec-WebSocket-Protocol: xmpp"],
  login: () => [open, anonymous, open, bind],
  join: (room, _announce, index) =>
    text(
      `<presence xmlns="jabber:client" to="${room}@${XMPP_ROOMS}/n${index}">` +
        `<x xmlns="http://jabber.org/protocol/muc"><history maxstanzas="0"/></x></presence>`,
    ),
  send: (room, content) =>
    text(
      `<message xmlns="jabber:client" to="${room}@${XMPP_ROOMS}" type="groupchat"><body>${content}</body></message>`,
    ),
  acknowledges: false,
  joinedBy: "delivery",
  pong: text(" "),
  peek: 16,
  read: (bytes, start, _length, report) => report(kindOf(bytes, start)),
};
