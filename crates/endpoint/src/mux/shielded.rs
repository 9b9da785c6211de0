//! Carries out the shield's requests, and tells it what the client sends.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use szk_cdp::frames::IsolatedWorld;
use szk_cdp::{Event, json, raw};

use super::client::Client;
use super::commands::{Addressed, read};
use super::end::End;
use super::pending::OnReply;
use crate::message;
use crate::policy::Learn;
use crate::shield::{Act, Caller};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Script {
    #[serde(default)]
    world_name: String,
}

#[derive(Deserialize)]
struct Added {
    identifier: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct World {
    frame_id: String,
    #[serde(default)]
    world_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Binding {
    name: String,
    execution_context_name: Option<String>,
    execution_context_id: Option<i64>,
}

impl Client {
    /// Does what the shield requests, in order; `event` is the event that it examined, if any.
    pub(super) fn act(&mut self, acts: Vec<Act>, event: Option<&Event>) -> Result<(), End> {
        let mut acts = VecDeque::from(acts);
        while let Some(act) = acts.pop_front() {
            match act {
                Act::Pass => event.map_or(Ok(()), |event| self.pass(event))?,
                Act::Tell {
                    session,
                    method,
                    params,
                } => {
                    let named = (session != self.root).then_some(&session);
                    self.outbox.push(message::made(method, &params, named))?;
                }
                Act::Answer(Caller { id, named }) => {
                    let done = Ok(raw(&json!({})));
                    self.outbox
                        .push(message::reply(id, named.as_ref(), &done))?;
                }
                Act::Ask {
                    session,
                    request,
                    ask,
                } => {
                    let unsent = self.order(&session, &request, OnReply::Shield(ask))?;
                    // There will be no answer; the shield has to know.
                    if let Some(OnReply::Shield(ask)) = unsent
                        && let Some(shield) = &mut self.shield
                    {
                        acts.extend(shield.reply(ask, &Err(message::unknown_session())));
                    }
                }
            }
        }
        Ok(())
    }

    /// Answers `Runtime.enable` and `Runtime.disable` in the browser's place.
    pub(super) fn pretend(&mut self, command: Addressed, enable: bool) -> Result<(), End> {
        let session = command.session.clone();
        let opens = self.targets.opens(&session);
        let scripted = self.targets.scripted(&session);
        let (Some(shield), Some((kind, target))) = (&mut self.shield, scripted) else {
            // There is no `Runtime` there, as the browser will say.
            return self.forward(command, OnReply::Pass);
        };
        let caller = Caller {
            id: command.id,
            named: command.named,
        };
        let acts = if enable {
            shield.enable(&session, kind, target, opens, caller)
        } else {
            shield.disable(&session, caller)
        };
        self.act(acts, None)
    }

    /// Records a command that the shield has to know about, and sends it on.
    pub(super) fn note(&mut self, mut command: Addressed, learn: Learn) -> Result<(), End> {
        let session = command.session.clone();
        let scripted = self.targets.scripted(&session);
        let (Some(shield), Some((kind, target))) = (&mut self.shield, scripted) else {
            return self.forward(command, OnReply::Pass);
        };
        let then = match learn {
            Learn::Wants(domain, on) => {
                if !shield.wants(&session, kind, target, domain, on) {
                    return self.answer(&command, Ok(raw(&json!({}))));
                }
                OnReply::Pass
            }
            Learn::Script => {
                if let Some(clean) = shield.clean(&session, command.params.as_deref()) {
                    command.params = Some(clean);
                }
                match read(&command) {
                    Some(Script { world_name: world }) if !world.is_empty() => {
                        OnReply::Script { session, world }
                    }
                    _ => OnReply::Pass,
                }
            }
            Learn::NoScript => {
                if let Some(Added { identifier }) = read(&command) {
                    shield.removes_script(&session, &identifier);
                }
                OnReply::Pass
            }
            Learn::World => match read(&command) {
                Some(World {
                    frame_id: frame,
                    world_name: world,
                }) => OnReply::World {
                    session,
                    frame,
                    world,
                },
                None => OnReply::Pass,
            },
            Learn::Binding => {
                let binding: Option<Binding> = read(&command);
                if let Some(binding) = binding.filter(|it| it.execution_context_id.is_none()) {
                    let world = binding.execution_context_name;
                    let act = shield.binds(&session, kind, target, binding.name, world);
                    self.act(act.into_iter().collect(), None)?;
                }
                OnReply::Pass
            }
            Learn::NoBinding => {
                if let Some(Binding { name, .. }) = read(&command) {
                    let acts = shield.unbinds(&session, &name);
                    self.act(acts, None)?;
                }
                OnReply::Pass
            }
            Learn::Nothing
            | Learn::Context
            | Learn::Targets
            | Learn::Emulates(_)
            | Learn::Attaches
            | Learn::Holds => OnReply::Pass,
        };
        self.forward(command, then)
    }

    /// Tells the shield the browser's answer to one of those, before the client gets it.
    pub(super) fn learned(&mut self, then: OnReply, answer: &RawValue) -> Result<(), End> {
        let Some(shield) = &mut self.shield else {
            return Ok(());
        };
        match then {
            OnReply::World {
                session,
                frame,
                world,
            } => {
                let Ok(IsolatedWorld {
                    execution_context_id: id,
                }) = json::read(answer.get())
                else {
                    return Ok(());
                };
                let acts = shield.made_world(&session, &frame, &world, id);
                self.act(acts, None)
            }
            OnReply::Script { session, world } => {
                if let Ok(Added { identifier }) = json::read(answer.get())
                    && let Some((kind, target)) = self.targets.scripted(&session)
                {
                    shield.adds_world(&session, kind, target, world, identifier);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
