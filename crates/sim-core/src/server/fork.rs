//! A server in the middle of a run, from which other runs go on: with other settings of flushing, as `SET GLOBAL` gives them to
//! a server at work, or on another device. No source: nothing here is of a server.
//!
//! A copy that goes on with what it had makes the same run, byte by byte, as if nobody had stopped to copy it. Random numbers
//! go on where they were, so that all copies meet the same.
//!
//! Simplification: a device that takes the place of another starts idle. What was in flight on the old one is complete when
//! that said it would be.

use crate::config::ChangeBufferConfig;
use crate::metrics::{RunOutput, SecondSample};
use crate::run_spec::RunSpec;
use crate::seam::{AgeLimits, LiveSettings, ServerModel};
use crate::server::change_buffer::ChangeBuffer;
use crate::server::machine::bounded;
use crate::server::{Observer, RunError, Server};
use crate::storage::Device;

/// A run that has come so far.
#[derive(Debug)]
pub struct Warm {
    server: Server,
    spec: RunSpec,
}

impl Warm {
    /// Runs a server of the given version as `spec` says until `is_enough` says so of all seconds.
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn up_to(
        model: Box<dyn ServerModel>,
        spec: &RunSpec,
        observer: &mut dyn Observer,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<Warm, RunError> {
        let mut server = Server::new(model, spec);
        server.start();
        while !is_enough(server.machine().recorder.seconds(), &server.machine().model.age_limits())
            && server.next_second(observer)?
        {}
        Ok(Warm { server, spec: spec.clone() })
    }

    /// The seconds so far.
    pub fn seconds(&self) -> &[SecondSample] {
        self.server.machine().recorder.seconds()
    }

    /// Bytes of memory that a copy takes for its pages, which is nearly all.
    pub fn bytes(&self) -> u64 {
        self.server.machine().pool.bytes() + self.server.machine().space.bytes()
    }

    /// A copy that goes on with these settings, on the devices of `spec`; `None` if the version can't be copied, or if
    /// `spec` differs in anything else from the run so far.
    pub fn fork(&self, settings: LiveSettings, spec: &RunSpec) -> Option<Warm> {
        let storage = self.spec.storage.clone();
        let merging = |spec: &RunSpec| spec.change_buffer.map(|buffer| ChangeBufferConfig { io_capacity: 0, ..buffer });
        let alike = RunSpec { storage, change_buffer: self.spec.change_buffer, ..spec.clone() } == self.spec
            && merging(spec) == merging(&self.spec)
            && spec.storage.redo.is_some() == self.spec.storage.redo.is_some();
        if !alike {
            return None;
        }
        let mut server = self.server.with_live(settings)?;
        if let (Some(buffer), Some(config)) = (&mut server.innodb.engine.changes, spec.change_buffer) {
            buffer.set_io_capacity(config.io_capacity);
        }
        let machine = server.machine_mut();
        if spec.storage.data != self.spec.storage.data {
            let stream = machine.data_device.stream();
            machine.data_device = Device::new(&bounded(&spec.storage.data, &machine.config), stream);
        }
        if let (Some(device), Some(redo)) = (&mut machine.redo_device, &spec.storage.redo)
            && spec.storage.redo != self.spec.storage.redo
        {
            *device = Device::new(redo, device.stream());
        }
        Some(Warm { server, spec: spec.clone() })
    }

    /// Goes on until `is_enough` says so of all seconds, or to the end.
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn run_until(
        mut self,
        observer: &mut dyn Observer,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<RunOutput, RunError> {
        self.server.go_until(observer, is_enough)?;
        Ok(self.server.into_output())
    }

    /// The same; and which of `others` would have led to the very same run from here on, one by one. It may be that more
    /// would: none is named of which that is not known.
    ///
    /// # Errors
    /// As [`Server::run`].
    pub fn run_beside(
        mut self,
        others: &[LiveSettings],
        observer: &mut dyn Observer,
        is_enough: &mut dyn FnMut(&[SecondSample], &AgeLimits) -> bool,
    ) -> Result<(RunOutput, Vec<bool>), RunError> {
        let io_capacity = self.server.machine().model.live_settings().map(|own| own.io_capacity);
        self.server.machine_mut().model.compare_with(others);
        self.server.go_until(observer, is_enough)?;
        // Merging of buffered changes takes a share of the I/O capacity.
        let merges = self.server.innodb.engine.changes.as_ref().is_some_and(ChangeBuffer::was_used);
        let agreeing = self.server.machine().model.agreeing().into_iter().chain(std::iter::repeat(false));
        let same = others
            .iter()
            .zip(agreeing)
            .map(|(other, agrees)| agrees && (!merges || Some(other.io_capacity) == io_capacity))
            .collect();
        Ok((self.server.into_output(), same))
    }
}

impl Server {
    /// A copy that goes on with these settings. Crashes are looked at in runs in one piece only.
    fn with_live(&self, settings: LiveSettings) -> Option<Server> {
        let model = self.machine().model.with_live(settings)?;
        Some(Server {
            innodb: self.innodb.with_model(model),
            cleaner: self.cleaner.clone(),
            clients: self.clients.clone(),
            end: self.end,
            events: self.events,
            hash: self.hash,
        })
    }
}
