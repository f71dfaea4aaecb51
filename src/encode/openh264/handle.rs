//! The raw interface of openh264. No other module calls it to encode.

use std::ffi::c_int;
use std::ptr::null_mut;

use openh264_sys2::{self as sys, API};

use crate::encode::VideoSettings;
use crate::encode::sequence::encoder_error;
use crate::error::Result;
use crate::frame::Frame;

/// A row of settings.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Quantization parameter of all frames, 0..=51, lower is better.
    pub(super) qp: c_int,
    pub(super) complexity: sys::ECOMPLEXITY_MODE,
}

/// An encoder of the library and the table of its functions.
pub(super) struct Handle {
    encoder: *mut sys::ISVCEncoder,
    api: sys::DynamicAPI,
    is_open: bool,
}

// SAFETY: the library ties an encoder to no thread, and `&mut self` rules out concurrent calls.
unsafe impl Send for Handle {}

impl Handle {
    /// Opens an encoder; returns an error if the library rejects the settings.
    pub(super) fn open(settings: &VideoSettings, row: Row) -> Result<Handle> {
        let mut handle = Handle {
            encoder: null_mut(),
            api: sys::DynamicAPI::from_source(),
            is_open: false,
        };
        // SAFETY: the pointer is valid to write.
        let code = unsafe { handle.api.WelsCreateSVCEncoder(&mut handle.encoder) };
        check(code, "creating an encoder")?;
        let table = handle.table()?;
        let mut params = sys::SEncParamExt::default();
        let missing = || encoder_error("openh264 lacks a function");
        // SAFETY: the encoder was made above, its table holds its functions, and all pointers are to locals that live through the calls.
        unsafe {
            let mut level: c_int = sys::WELS_LOG_QUIET as c_int;
            let set_option = table.SetOption.ok_or_else(missing)?;
            set_option(
                handle.encoder,
                sys::ENCODER_OPTION_TRACE_LEVEL,
                (&raw mut level).cast(),
            );
            let defaults = table.GetDefaultParams.ok_or_else(missing)?;
            check(
                defaults(handle.encoder, &mut params),
                "returning its defaults",
            )?;
            configure(&mut params, settings, row);
            let initialize = table.InitializeExt.ok_or_else(missing)?;
            check(initialize(handle.encoder, &params), "applying the settings")?;
            handle.is_open = true;
            let mut format: c_int = sys::videoFormatI420 as c_int;
            let code = set_option(
                handle.encoder,
                sys::ENCODER_OPTION_DATAFORMAT,
                (&raw mut format).cast(),
            );
            check(code, "applying the picture format")?;
        }
        Ok(handle)
    }

    fn table(&self) -> Result<sys::ISVCEncoderVtbl> {
        if self.encoder.is_null() {
            return Err(encoder_error("openh264 did not create an encoder"));
        }
        // SAFETY: an encoder of the library is a pointer to its table of functions, which lives as long as the program.
        Ok(unsafe { **self.encoder })
    }

    /// Encodes a frame to its NAL units, without start codes.
    pub(super) fn encode(&mut self, frame: &Frame, is_key: bool) -> Result<Vec<Vec<u8>>> {
        let table = self.table()?;
        let missing = || encoder_error("openh264 lacks a function");
        let (width, height) = (frame.size.width as c_int, frame.size.height as c_int);
        let [y, u, v] = frame.planes().map(|plane| plane.as_ptr().cast_mut());
        let mut picture = sys::SSourcePicture {
            iColorFormat: sys::videoFormatI420 as c_int,
            iStride: [width, width / 2, width / 2, 0],
            pData: [y, u, v, null_mut()],
            iPicWidth: width,
            iPicHeight: height,
            ..Default::default()
        };
        picture.uiTimeStamp = 0;
        let mut info = sys::SFrameBSInfo::default();
        // SAFETY: the encoder is open; the library only reads the planes, and only during the call; `info` points into buffers of the encoder
        // that stay until the next call.
        unsafe {
            if is_key {
                let force = table.ForceIntraFrame.ok_or_else(missing)?;
                check(force(self.encoder, true), "making a key frame")?;
            }
            let encode = table.EncodeFrame.ok_or_else(missing)?;
            check(
                encode(self.encoder, &picture, &mut info),
                "encoding a frame",
            )?;
            Ok(nal_units(&info))
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.encoder.is_null() {
            return;
        }
        // SAFETY: the encoder was made by this library and is not used after this.
        unsafe {
            if let (true, Some(uninitialize)) = (self.is_open, (**self.encoder).Uninitialize) {
                uninitialize(self.encoder);
            }
            self.api.WelsDestroySVCEncoder(self.encoder);
        }
    }
}

/// Copies the NAL units of a frame.
///
/// # Safety
/// `info` must be what the last call of the encoder filled in.
unsafe fn nal_units(info: &sys::SFrameBSInfo) -> Vec<Vec<u8>> {
    let mut nals = Vec::new();
    let n_layers = usize::try_from(info.iLayerNum).unwrap_or(0);
    for layer in info.sLayerInfo.iter().take(n_layers) {
        let mut at = 0;
        for i in 0..usize::try_from(layer.iNalCount).unwrap_or(0) {
            // SAFETY: the layer holds `iNalCount` lengths, and its buffer holds as many bytes as they add up to.
            let bytes = unsafe {
                let n_bytes = usize::try_from(*layer.pNalLengthInByte.add(i)).unwrap_or(0);
                let bytes = std::slice::from_raw_parts(layer.pBsBuf.add(at), n_bytes);
                at += n_bytes;
                bytes
            };
            // Each unit begins with a start code of two or three zero bytes and a one (annex B).
            let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(0);
            nals.push(bytes[start + 1..].to_vec());
        }
    }
    nals
}

fn configure(params: &mut sys::SEncParamExt, settings: &VideoSettings, row: Row) {
    let (width, height) = (settings.size.width as c_int, settings.size.height as c_int);
    let rate = settings.rate.as_f64() as f32;
    params.iUsageType = sys::CAMERA_VIDEO_REAL_TIME;
    params.iPicWidth = width;
    params.iPicHeight = height;
    params.fMaxFrameRate = rate;
    params.iRCMode = sys::RC_OFF_MODE;
    params.bEnableFrameSkip = false;
    params.bEnableAdaptiveQuant = false;
    params.bEnableBackgroundDetection = false;
    params.bEnableSceneChangeDetect = false;
    params.bEnableLongTermReference = false;
    params.bEnableDenoise = false;
    params.uiIntraPeriod = 0;
    params.eSpsPpsIdStrategy = sys::CONSTANT_ID;
    params.iEntropyCodingModeFlag = 1;
    params.iComplexityMode = row.complexity;
    params.iMultipleThreadIdc = 1;
    params.iTemporalLayerNum = 1;
    params.iSpatialLayerNum = 1;
    let layer = &mut params.sSpatialLayers[0];
    layer.iVideoWidth = width;
    layer.iVideoHeight = height;
    layer.fFrameRate = rate;
    layer.iDLayerQp = row.qp;
    layer.uiProfileIdc = sys::PRO_HIGH;
    layer.sSliceArgument.uiSliceMode = sys::SM_SINGLE_SLICE;
    layer.sSliceArgument.uiSliceNum = 1;
    layer.bVideoSignalTypePresent = true;
    layer.bFullRange = false;
    layer.bColorDescriptionPresent = true;
    layer.uiColorPrimaries = sys::CP_BT709 as u8;
    layer.uiTransferCharacteristics = sys::TRC_BT709 as u8;
    layer.uiColorMatrix = sys::CM_BT709 as u8;
}

fn check(code: c_int, doing: &str) -> Result<()> {
    if code == 0 {
        return Ok(());
    }
    Err(encoder_error(format!(
        "openh264 failed while {doing} (code {code})"
    )))
}
